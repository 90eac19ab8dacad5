"use client";

import { useChartTheme } from "@/components/chart/use-chart-theme";
import { rangeOf } from "@/lib/base/charts/number-axis";
import type { Picture } from "@/lib/base/charts/picture";
import { colourOf } from "@/lib/base/charts/spec";
import { describeChange, describeChart, type Figure, formatUp, toFigures } from "@/lib/base/charts/words";
import type { CellLook } from "@/lib/base/values/cell-look";

/** KPI figures, each with its trend and comparison where available. */
export function ChartFigures({ picture, look }: { picture: Picture; look: CellLook }) {
  const theme = useChartTheme();
  const { data } = picture;
  return (
    <section className="chart-figures" aria-label={describeChart(picture, look)}>
      {toFigures(data).map((figure) => {
        const change = describeChange(picture, figure, look);
        return (
          <div key={figure.series} className="chart-figure">
            <p className="xs t2">{data.series[figure.series]?.name}</p>
            <p className="chart-figure-value num">
              {figure.text === null ? "No value" : formatUp(figure.text, picture, figure.series, look)}
            </p>
            {change !== null && <p className="xs t3">{change}</p>}
            {figure.line.length > 1 && <FigureLine figure={figure} colour={colourOf(data, figure.series, theme)} />}
          </div>
        );
      })}
    </section>
  );
}

const LINE = { width: 120, height: 32, edge: 2 };

/** A sparkline without axes: the figure beside it carries the value. */
export function FigureLine({ figure: { line }, colour }: { figure: Figure; colour: string }) {
  const { low, high } = rangeOf(line.filter((value) => value !== null)) ?? { low: 0, high: 0 };
  const { width, height, edge } = LINE;
  const points = line.flatMap((value, i) =>
    value === null
      ? []
      : [
          `${(i / (line.length - 1)) * (width - 2 * edge) + edge},${
            high === low ? height / 2 : height - edge - ((value - low) / (high - low)) * (height - 2 * edge)
          }`,
        ],
  );
  return (
    <svg className="chart-figure-line" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <polyline points={points.join(" ")} fill="none" stroke={colour} strokeWidth="2" />
    </svg>
  );
}
