"use client";

import type { ChartData } from "@/lib/ui/results/chart-data";
import { type ChartShelves, toMeasureName } from "@/lib/ui/results/chart-shelves";
import { formatAcross, formatUp } from "@/lib/ui/results/chart-words";

/** A table of more rows is better looked at as the result itself. */
const ROWS_MAX = 500;

/** The points of a chart as they would be read aloud. */
export function ChartTable({ data, shelves }: { data: ChartData; shelves: ChartShelves }) {
  const hasColour = data.series.length > 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it
    <section className="chart-table" aria-label="Points of the chart" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{shelves.across}</th>
            {hasColour && <th scope="col">{shelves.colour}</th>}
            <th scope="col" className="r">
              {toMeasureName(shelves.up)}
            </th>
          </tr>
        </thead>
        <tbody>
          {data.points.slice(0, ROWS_MAX).map(({ across, up, colour }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: points have no other name, and never move
            <tr key={i}>
              <td>{formatAcross(across, data.scale)}</td>
              {hasColour && <td>{colour}</td>}
              <td className="r num">{formatUp(up)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {data.points.length > ROWS_MAX && <p className="xs t3">The first {ROWS_MAX} points.</p>}
    </section>
  );
}
