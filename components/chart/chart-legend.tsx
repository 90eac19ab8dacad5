"use client";

import type { ChartData } from "@/lib/base/charts/data";
import { type ChartTheme, colourOf } from "@/lib/base/charts/spec";

type ChartLegendProps = {
  data: ChartData;
  theme: ChartTheme;
  hidden: ReadonlySet<number>;
  onToggle: (series: number) => void;
  /** Position of each name at the end of its line, in pixels from the top; null when the names form a row. */
  ends: { x: number; tops: number[] } | null;
};

/** Names of the series. Clicking one hides or shows it. */
export function ChartLegend({ data, theme, hidden, onToggle, ends }: ChartLegendProps) {
  return (
    <ul className={ends ? "chart-legend at-ends" : "chart-legend"} aria-label="Series">
      {data.series.map(({ name }, i) => (
        <li key={name} style={ends ? { left: ends.x, top: ends.tops[i] } : undefined}>
          <button type="button" aria-pressed={!hidden.has(i)} onClick={() => onToggle(i)} title={name}>
            <i style={{ background: colourOf(data, i, theme) }} />
            <span className="trunc">{name}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
