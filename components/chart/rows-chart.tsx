"use client";

import { ChartLine, Table2 } from "lucide-react";
import { useMemo, useState } from "react";
import { Chart, useHidden } from "@/components/chart/chart";
import { PictureMenu } from "@/components/chart/picture-menu";
import { SpecChart } from "@/components/chart/spec-chart";
import { toChartData } from "@/lib/base/charts/data";
import { readSettings } from "@/lib/base/charts/kept-spec";
import { zoneOf } from "@/lib/base/charts/moments";
import { toFields, toTable } from "@/lib/base/charts/rows-fields";
import { fitSettings } from "@/lib/base/charts/settings";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";
import "./chart.css";

type RowsChartProps = {
  title: string;
  /**
   * Vega-Lite specification. One that our settings can express gets all features of our charts; others are drawn
   * unchanged.
   */
  spec: Record<string, unknown>;
  rows: ResultRow[];
  /** Null where the rows came without field descriptions. */
  fields: ResultField[] | null;
  look: CellLook;
};

/** A chart over rows that are already in the browser. */
export function RowsChart({ title, spec, rows, fields, look }: RowsChartProps) {
  const [isTable, setIsTable] = useState(false);
  const table = useMemo(() => toTable(fields ?? toFields(rows), rows), [fields, rows]);
  const settings = useMemo(() => fitSettings(readSettings(spec), table.fields), [spec, table]);
  const zone = zoneOf(look);
  const data = useMemo(
    () => (settings === null ? null : toChartData(table, null, settings, zone)),
    [settings, table, zone],
  );
  const [hidden, setHidden] = useHidden(title);
  if (settings === null || data === null) {
    return (
      <div className="rows-chart">
        <SpecChart title={title} spec={spec} rows={rows} />
      </div>
    );
  }
  return (
    <div className="rows-chart">
      <Chart data={data} settings={settings} look={look} isTable={isTable} hidden={hidden} onHidden={setHidden} />
      <div className="rows-chart-foot">
        <button type="button" className="btn sm ghost" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          {isTable ? <ChartLine className="s" /> : <Table2 className="s" />}
          {isTable ? "View as chart" : "View as table"}
        </button>
        <PictureMenu data={data} settings={settings} look={look} hidden={hidden} name={title} />
      </div>
    </div>
  );
}
