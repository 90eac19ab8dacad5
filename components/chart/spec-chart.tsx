"use client";

import { useEffect, useRef, useState } from "react";
import { ChartTip } from "@/components/chart/chart-tip";
import { drawChart, findRefusal } from "@/components/chart/draw-chart";
import { useChartTheme } from "@/components/chart/use-chart-theme";
import { useSize } from "@/components/chart/use-size";
import { toForeignSpec } from "@/lib/base/charts/foreign-spec";
import { toPlainText } from "@/lib/base/values/cell-text";
import type { CellValue, ResultRow } from "@/lib/base/values/json-rows";
import { formatCountOf } from "@/lib/platform/browser/format";

type SpecChartProps = { title: string; spec: Record<string, unknown>; rows: ResultRow[] };
type Hover = { at: { x: number; y: number }; values: [string, string][] };

/** Maximum number of values in a tooltip. */
const VALUES_MAX = 8;
const UNDRAWN = "Couldn't draw the chart. Ask for another type.";

/** A Vega-Lite specification that our settings cannot express, over the rows of a result. */
export function SpecChart({ title, spec, rows }: SpecChartProps) {
  const frameRef = useRef<HTMLDivElement>(null);
  const hostRef = useRef<HTMLDivElement>(null);
  const theme = useChartTheme();
  const size = useSize(frameRef);
  const [failure, setFailure] = useState<string | null>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const source = JSON.stringify(spec);
  useEffect(() => {
    const host = hostRef.current;
    if (host === null || size === null) return;
    let isStale = false;
    let end: (() => void) | null = null;
    setFailure(null);
    const draw = async () => {
      const own = JSON.parse(source) as Record<string, unknown>;
      const refusal = await findRefusal(own, rows);
      if (isStale || refusal !== null) return refusal;
      const chart = await drawChart(host, toForeignSpec(own, rows, theme, size), (datum, at) => {
        const values = toValues(datum);
        setHover(values.length === 0 ? null : { at, values });
      });
      if (isStale) chart.end();
      else end = chart.end;
      return null;
    };
    draw().then(
      (refusal) => !isStale && setFailure(refusal),
      () => !isStale && setFailure(UNDRAWN),
    );
    return () => {
      isStale = true;
      end?.();
    };
  }, [source, rows, theme, size]);
  return (
    <div className="chart-canvas">
      {failure !== null && <p className="chart-said">{failure}</p>}
      <div ref={frameRef} className="chart-frame">
        <div className="chart-picture" role="img" aria-label={`${title}, ${formatCountOf(rows.length, "point")}`}>
          <div ref={hostRef} className="chart-host" />
        </div>
      </div>
      {hover && (
        <ChartTip
          at={hover.at}
          title=""
          lines={hover.values.map(([name, value]) => ({ name, value, colour: null, isActive: false }))}
          total={null}
        />
      )}
    </div>
  );
}

function toValues(datum: unknown): [string, string][] {
  if (typeof datum !== "object" || datum === null) return [];
  return Object.entries(datum)
    .filter(([name, value]) => !name.startsWith("_") && typeof value !== "object" && typeof value !== "function")
    .slice(0, VALUES_MAX)
    .map(([name, value]) => [name, toPlainText(value as CellValue)]);
}
