"use client";

import type { Picture } from "@/lib/base/charts/picture";
import { nameChart, toChartTable } from "@/lib/base/charts/words";
import { formatCount } from "@/lib/base/values/amounts";
import type { CellLook } from "@/lib/base/values/cell-look";

/** Maximum number of rows; a longer table is better read in the result itself. */
const ROWS_MAX = 500;

/** The values of a chart as a table, for screen readers. */
export function ChartTable({ picture, look }: { picture: Picture; look: CellLook }) {
  const { head, rows, numbersFrom, rowCount } = toChartTable(picture, look, ROWS_MAX);
  const classOf = (column: number) => (column >= numbersFrom ? "r num" : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it
    <section className="chart-table" aria-label="Chart data" tabIndex={0}>
      <table>
        <caption className="sr-only">{nameChart(picture.settings)}</caption>
        <thead>
          <tr>
            {head.map((name, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
              <th key={i} scope="col" className={classOf(i)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name, and never move
            <tr key={row}>
              {cells.map((cell, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as the heads
                <td key={i} className={classOf(i)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rowCount > rows.length && (
        <p className="xs t3">
          First {formatCount(rows.length)} of {formatCount(rowCount)} rows.
        </p>
      )}
    </section>
  );
}
