"use client";

import { useMemo } from "react";
import { FirstRowsNotice } from "@/components/dashboards/first-rows-notice";
import type { KindLargeProps } from "@/components/dashboards/kinds/kind-view";
import { RowsGrid } from "@/components/grid/rows-grid";
import type { ResultRow } from "@/lib/base/values/json-rows";
import { toShownWidget } from "@/lib/features/dashboards/browser/widget-click";

/** The rows of a table in the full data grid. */
export function TableLarge({ title, widget: { spec }, data, period }: KindLargeProps) {
  const { fields } = useMemo(() => toShownWidget(spec, data, period.grain).data, [spec, data, period.grain]);
  return (
    <>
      <RowsGrid label={title} query="" dialect="standard" fields={fields} rows={data.rows as ResultRow[]} />
      <FirstRowsNotice firstRows={data.firstRows} />
    </>
  );
}
