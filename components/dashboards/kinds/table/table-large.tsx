"use client";

import { FirstRowsNotice } from "@/components/dashboards/first-rows-notice";
import type { KindLargeProps } from "@/components/dashboards/kinds/kind-view";
import { RowsGrid } from "@/components/grid/rows-grid";
import type { ResultRow } from "@/lib/base/values/json-rows";

/** The rows of a table in the full data grid. */
export function TableLarge({ title, data }: KindLargeProps) {
  return (
    <>
      <RowsGrid label={title} query="" dialect="standard" fields={data.fields} rows={data.rows as ResultRow[]} />
      <FirstRowsNotice firstRows={data.firstRows} />
    </>
  );
}
