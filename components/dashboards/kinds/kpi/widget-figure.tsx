"use client";

import { FigureLine } from "@/components/chart/chart-figures";
import { formatChange, toTone } from "@/lib/base/charts/widget-change";
import { type Against, toWidgetFigures } from "@/lib/base/charts/widget-figures";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { Period } from "@/lib/features/dashboards/browser/period-words";
import type { WidgetData } from "@/lib/features/dashboards/schema";
import { toBeforeWords } from "@/lib/features/results/crossfilter/words";
import "@/components/chart/chart.css";
import "./kpi.css";

type WidgetFigureProps = {
  spec: Record<string, unknown>;
  data: Pick<WidgetData, "fields" | "rows" | "trend" | "before">;
  look: CellLook;
  compare?: Period["compare"];
};

/**
 * A large figure. Over times it shows the last value, its change from the one before, and a sparkline; on a page with a
 * comparison, the change is from the previous period. `prefix` and `suffix` are its unit, `better` is the good
 * direction, and `trend` is the time dimension of a sparkline for a figure of all rows.
 */
export function WidgetFigure({ spec, data, look, compare }: WidgetFigureProps) {
  const figures = toWidgetFigures(spec, data, look);
  if (figures === null) return <p className="widget-said">No measure selected. Add a measure.</p>;
  return (
    <div className="widget-figures">
      {figures.map(({ series, name, exact, shown, against, figure }) => (
        <div key={series} className="widget-figure">
          <div className="grow">
            {name !== null && <p className="xs t2">{name}</p>}
            <p className="widget-figure-value num" title={exact ?? undefined}>
              {shown}
            </p>
            {against && <AgainstLine against={against} better={spec.better} before={data.before} compare={compare} />}
          </div>
          {figure.line.length > 1 && <FigureLine figure={figure} colour="var(--viz-1)" />}
        </div>
      ))}
    </div>
  );
}

type AgainstLineProps = { against: Against; better: unknown } & Pick<WidgetData, "before"> & Pick<Period, "compare">;

function AgainstLine({ against: { text, change, place }, better, before, compare }: AgainstLineProps) {
  const word = change !== null && (
    <>
      <b className={toTone(change, better)}>{formatChange(change)}</b>{" "}
    </>
  );
  if (place !== null || before === undefined) {
    return (
      <p className="xs t3 num">
        {word}vs {place}
      </p>
    );
  }
  return (
    <p className="xs t3 num" title={text === null ? undefined : `${text}, ${before.from} to ${before.to}`}>
      {text === null ? (
        `No data for ${toBeforeWords(before, compare)}`
      ) : (
        <>
          {word}
          {change === null ? `${text} in` : "vs"} {toBeforeWords(before, compare)}
        </>
      )}
    </p>
  );
}
