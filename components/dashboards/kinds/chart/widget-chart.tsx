"use client";

import { useMemo } from "react";
import { Chart, useHidden } from "@/components/chart/chart";
import { SpecChart } from "@/components/chart/spec-chart";
import type { ChartMarks } from "@/components/chart/use-chart-cursor";
import { useMarkMenu } from "@/components/dashboards/use-mark-menu";
import type { WidgetPress } from "@/components/dashboards/widget-press";
import type { ChartData } from "@/lib/base/charts/data";
import { type Stop, type StopRow, toPicture } from "@/lib/base/charts/picture";
import type { ChartSettings } from "@/lib/base/charts/settings";
import { toWidgetChart } from "@/lib/base/charts/widget-chart";
import { formatStop } from "@/lib/base/charts/words";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";
import type { ClickValue } from "@/lib/features/dashboards/browser/dashboard-choice";
import {
  addClick,
  findClickColumns,
  isClicked,
  isSameClick,
  isTimeColumn,
  toDayRange,
  toLabelled,
} from "@/lib/features/dashboards/browser/widget-click";
import type { Comparison } from "@/lib/features/results/crossfilter/words";
import "@/components/chart/chart.css";

type WidgetChartProps = CellLook & {
  title: string;
  spec: Record<string, unknown>;
  fields: readonly ResultField[];
  rows: ResultRow[];
  /** Rows of the previous period, shifted to the times of this one. */
  before?: ResultRow[] | undefined;
  compare?: Comparison | undefined;
  press?: WidgetPress | undefined;
};

/** The chart of a widget, over groups computed by the server. */
export function WidgetChart({ title, spec, fields, rows, before, compare, digits, times, press }: WidgetChartProps) {
  const look = useMemo(() => ({ digits, times }), [digits, times]);
  const chart = useMemo(
    () => toWidgetChart(spec, { fields, rows, before, compare }, look),
    [spec, fields, rows, before, compare, look],
  );
  const [hidden, setHidden] = useHidden(title);
  const menu = useMarkMenu(press, spec, fields);
  if (chart === null) {
    return <p className="widget-said">No measure selected. Add a measure.</p>;
  }
  if ("kind" in chart) return <SpecChart title={title || "Chart"} spec={chart.spec} rows={rows} />;
  const marks = press && toMarks(press, chart.picture, chart.data, { spec, fields, rows });
  const aboutOf = (stop: Stop) => formatStop(toPicture(chart.data, chart.settings, hidden), stop, look);
  return (
    <div className="widget-marks" {...menu.near}>
      <Chart
        data={chart.data}
        settings={chart.settings}
        look={look}
        isTable={false}
        hidden={hidden}
        onHidden={setHidden}
        marks={
          marks && {
            ...marks,
            onMenu: menu.isOffered
              ? (stop, row, at) => {
                  const click = marks.toClick(stop, row);
                  if (click !== null) menu.openAt({ click, about: aboutOf(stop) }, at);
                }
              : undefined,
          }
        }
      />
      {menu.layer}
    </div>
  );
}

type Source = Pick<WidgetChartProps, "spec" | "fields" | "rows">;

type ClickMarks = ChartMarks & { toClick: (stop: Stop, row: StopRow) => ClickValue | null };

/** Returns the click handlers of a chart's marks; undefined where no mark stands for a filter value. */
function toMarks(press: WidgetPress, settings: ChartSettings, data: ChartData, source: Source): ClickMarks | undefined {
  const { kind, across: acrossName, colour: colourName } = settings;
  const columns = findClickColumns(source.spec, source.fields);
  const across = columns.find(({ column }) => column === acrossName);
  const colour = columns.find(({ column }) => column === colourName);
  if (kind === "scatter" || kind === "histogram" || across === undefined) return undefined;
  const toAcross = (stop: Stop): ClickValue | null => {
    if (kind === "pie") {
      const series = data.series[stop.rows[0]?.series ?? -1];
      const value = series && !series.isRest ? toLabelled(source.rows, across.column, series.name) : undefined;
      return value === undefined || isTimeColumn(across) ? null : { [across.field]: [value] };
    }
    const place = data.places[stop.place];
    if (place === undefined) return null;
    if (data.scale === "time" && typeof place.at === "number") {
      const next = data.places[stop.place + 1]?.at;
      const nextMs = data.step === null ? null : typeof next === "number" ? next : place.at + data.step.size;
      const days = toDayRange(place.at, across.unit, nextMs);
      return days && { [across.field]: days };
    }
    // Bins of numbers, and the remainder of too many categories, are not single values.
    if (data.step !== null || (data.restPlaces > 0 && stop.place === data.places.length - 1)) return null;
    const value = toLabelled(source.rows, across.column, place.text ?? String(place.at));
    return value === undefined ? null : { [across.field]: [value] };
  };
  const toClick = (stop: Stop, row: StopRow): ClickValue | null => {
    const click = toAcross(stop);
    const own = data.series[row.series];
    // A mark of the previous period selects the series that it is compared with.
    const series = own?.of === undefined ? own : data.series[own.of];
    if (click === null || kind === "pie" || colour === undefined || series === undefined || series.isRest) return click;
    const value = isTimeColumn(colour) ? undefined : toLabelled(source.rows, colour.column, series.name);
    return value === undefined ? click : { ...click, [colour.field]: [value] };
  };
  return {
    purpose: "to filter",
    toClick,
    isPicked: (stop) => {
      const click = toAcross(stop);
      return click !== null && isClicked(press.value, click);
    },
    onPick: (stop, row, isAdding) => {
      const click = toClick(stop, row);
      if (click === null) return;
      press.put((before) => (isAdding ? addClick(before, click) : isSameClick(before, click) ? null : click));
    },
    onRange:
      data.scale !== "time"
        ? null
        : (from, to) => {
            const [first, last] = [toAcross(from), toAcross(to)];
            if (first && last) press.put(() => addClick(first, last));
          },
  };
}
