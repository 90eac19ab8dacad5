"use client";

import { useMemo, useState } from "react";
import { ChartCanvas } from "@/components/chart/chart-canvas";
import { ChartFigures } from "@/components/chart/chart-figures";
import { ChartTable } from "@/components/chart/chart-table";
import type { ChartMarks } from "@/components/chart/use-chart-cursor";
import type { ChartData } from "@/lib/base/charts/data";
import { isBlank, toPicture } from "@/lib/base/charts/picture";
import type { ChartSettings } from "@/lib/base/charts/settings";
import { describeCuts } from "@/lib/base/charts/words";
import type { CellLook } from "@/lib/base/values/cell-look";
import "./chart.css";

type ChartProps = {
  data: ChartData;
  settings: ChartSettings;
  look: CellLook;
  isTable: boolean;
  hidden: ReadonlySet<number>;
  onHidden: (hidden: ReadonlySet<number>) => void;
  marks?: ChartMarks | undefined;
};

/** A chart of aggregated data: the chart or its table, with notices about omitted data. */
export function Chart({ data, settings, look, isTable, hidden, onHidden, marks }: ChartProps) {
  const picture = useMemo(() => toPicture(data, settings, hidden), [data, settings, hidden]);
  const cuts = describeCuts(picture);
  const toggle = (series: number) => {
    const next = new Set(hidden);
    if (!next.delete(series)) next.add(series);
    onHidden(next);
  };
  return (
    <div className="chart-area">
      {data.rowCount === 0 ? (
        <p className="chart-said">No data</p>
      ) : isBlank(picture) && hidden.size === 0 ? (
        <p className="chart-said">{toBlankWords(data, settings)}</p>
      ) : isTable ? (
        <ChartTable picture={picture} look={look} />
      ) : picture.kind === "kpi" ? (
        <ChartFigures picture={picture} look={look} />
      ) : (
        <ChartCanvas picture={picture} look={look} hidden={hidden} onToggle={toggle} marks={marks} />
      )}
      {cuts.length > 0 && (
        <p className="chart-cuts xs t3" role="status">
          {cuts.join(" ")}
        </p>
      )}
    </div>
  );
}

const NONE: ReadonlySet<number> = new Set();

/** Returns the hidden series, reset when the chart shows something else. */
export function useHidden(key: string): [ReadonlySet<number>, (hidden: ReadonlySet<number>) => void] {
  const [state, setState] = useState({ key, hidden: NONE });
  return [state.key === key ? state.hidden : NONE, (hidden) => setState({ key, hidden })];
}

function toBlankWords(data: ChartData, { across, up }: ChartSettings): string {
  const columns = up.flatMap(({ column }) => column ?? []).join(" and ");
  return data.noPlace === data.rowCount
    ? `${across} has no values. Choose another x-axis column.`
    : `${columns} has no numbers. Choose another y-axis column.`;
}
