"use client";

import { useMemo } from "react";
import { FirstRowsNotice } from "@/components/dashboards/first-rows-notice";
import type { KindLargeProps } from "@/components/dashboards/kinds/kind-view";
import { RowsGrid } from "@/components/grid/rows-grid";
import { withPageGrain } from "@/lib/base/charts/widget-period";
import type { ResultRow } from "@/lib/base/values/json-rows";
import { withGrains } from "@/lib/features/dashboards/browser/widget-click";

/** The rows of a table in the full data grid. */
export function TableLarge({ title, widget: { spec }, data, period }: KindLargeProps) {
  const grain = data.grain ?? period.grain;
  const fields = useMemo(() => withGrains(withPageGrain(spec, grain), data.fields), [spec, grain, data.fields]);
  return (
    <>
      <RowsGrid label={title} query="" dialect="standard" fields={fields} rows={data.rows as ResultRow[]} />
      <FirstRowsNotice firstRows={data.firstRows} />
    </>
  );
}
