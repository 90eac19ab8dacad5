"use client";

import { type RefObject, useEffect, useId, useMemo, useRef, useState } from "react";
import { isBrushed, type Spot, toBands, toEnds } from "@/components/chart/chart-geometry";
import { ChartLegend } from "@/components/chart/chart-legend";
import { ChartTip } from "@/components/chart/chart-tip";
import { type DrawnChart, drawChart } from "@/components/chart/draw-chart";
import { type ChartMarks, useChartCursor } from "@/components/chart/use-chart-cursor";
import { useChartTheme } from "@/components/chart/use-chart-theme";
import { useSize } from "@/components/chart/use-size";
import type { Picture } from "@/lib/base/charts/picture";
import { colourOf, findEndsRoom, isLying, toDrawnSpec } from "@/lib/base/charts/spec";
import { describeChart, describeStop, formatRow, formatStop, formatUp } from "@/lib/base/charts/words";
import type { CellLook } from "@/lib/base/values/cell-look";
import { formatCountOf } from "@/lib/platform/browser/format";

type ChartCanvasProps = {
  picture: Picture;
  look: CellLook;
  hidden: ReadonlySet<number>;
  onToggle: (series: number) => void;
  marks?: ChartMarks | undefined;
};

/** The chart with its legend and crosshair. Mouse, touch and arrow keys move the crosshair from mark to mark. */
export function ChartCanvas({ picture, look, hidden, onToggle, marks }: ChartCanvasProps) {
  const frameRef = useRef<HTMLDivElement>(null);
  const hostRef = useRef<HTMLDivElement>(null);
  const summaryId = useId();
  const theme = useChartTheme();
  const { data, stops } = picture;
  const { chart, isFailed, endsRoom } = useDrawnChart(picture, theme, { frameRef, hostRef });
  const at = useChartCursor({ picture, chart, frameRef, marks });
  const { stop, row, spot } = at;
  const ends = endsRoom === null || chart === null ? null : toEnds(picture, chart, hidden);
  const legend = { data, theme, hidden, onToggle };
  return (
    <div className="chart-canvas">
      {data.series.length > 1 && endsRoom === null && <ChartLegend {...legend} ends={null} />}
      {isFailed && <p className="chart-said">Couldn't draw the chart. Choose another type.</p>}
      <div ref={frameRef} className="chart-frame">
        <div className="chart-picture" role="img" aria-labelledby={summaryId}>
          <div ref={hostRef} className="chart-host" />
        </div>
        {chart !== null && <Overlay picture={picture} chart={chart} theme={theme} marks={marks} at={at} />}
        <div
          className="chart-hand"
          role="slider"
          tabIndex={0}
          aria-label={marks ? `Data points. Press Enter ${marks.purpose}.` : "Data points"}
          aria-valuemin={1}
          aria-valuemax={Math.max(1, stops.length)}
          aria-valuenow={at.stopAt + 1}
          aria-valuetext={
            stop === null
              ? `${formatCountOf(stops.length, "point")}. Use arrow keys to move.`
              : describeStop(
                  picture,
                  stop.rows.length > 1 && row !== null
                    ? { ...stop, rows: [row, ...stop.rows.filter((each) => each !== row)] }
                    : stop,
                  look,
                )
          }
          {...at.handlers}
        />
        {ends !== null && <ChartLegend {...legend} ends={ends} />}
      </div>
      <p id={summaryId} className="sr-only">
        {describeChart(picture, look)}
      </p>
      <Values picture={picture} look={look} theme={theme} frame={frameRef.current} stop={stop} row={row} spot={spot} />
    </div>
  );
}

type Refs = { frameRef: RefObject<HTMLElement | null>; hostRef: RefObject<HTMLElement | null> };
type Theme = ReturnType<typeof useChartTheme>;

/** Draws the chart again whenever its data, theme or size changes. */
function useDrawnChart(picture: Picture, theme: Theme, { frameRef, hostRef }: Refs) {
  const size = useSize(frameRef);
  const [drawn, setDrawn] = useState<{ chart: DrawnChart; picture: Picture } | null>(null);
  const [isFailed, setIsFailed] = useState(false);
  /** Room for the names of lines at their ends; null for a legend above. */
  const endsRoom = useMemo(() => (size === null ? null : findEndsRoom(picture, size)), [picture, size]);
  useEffect(() => {
    const host = hostRef.current;
    if (host === null || size === null) return;
    let isStale = false;
    let chart: DrawnChart | null = null;
    setIsFailed(false);
    drawChart(host, toDrawnSpec(picture, theme, { ...size, width: Math.max(40, size.width - (endsRoom ?? 0)) })).then(
      (done) => {
        if (isStale) return done.end();
        chart = done;
        setDrawn({ chart: done, picture });
      },
      () => !isStale && setIsFailed(true),
    );
    return () => {
      isStale = true;
      chart?.end();
    };
  }, [picture, theme, size, endsRoom, hostRef]);
  // A chart drawn from other data has different coordinates.
  return { chart: drawn?.picture === picture ? drawn.chart : null, isFailed, endsRoom };
}

type OverlayProps = {
  picture: Picture;
  chart: DrawnChart;
  theme: Theme;
  marks: ChartMarks | undefined;
  at: ReturnType<typeof useChartCursor>;
};

/** Bands behind the selected marks, and the crosshair. */
function Overlay({ picture, chart, theme, marks, at: { brush, stop, row, spots, spot } }: OverlayProps) {
  const { data, kind } = picture;
  return (
    <>
      {marks && kind !== "scatter" && (
        <svg className="chart-cross" aria-hidden="true">
          {toBands(picture, chart, (at, each) => isBrushed(brush, at) || (brush === null && marks.isPicked(each))).map(
            (band) => (
              <rect key={band.at} className="picked" {...band.box} />
            ),
          )}
        </svg>
      )}
      {stop !== null && spot !== null && (
        <svg className="chart-cross" aria-hidden="true">
          <Crosshair picture={picture} chart={chart} spot={spot} />
          {spots.map((each, i) =>
            each === null || kind === "bar" || kind === "histogram" ? null : (
              <circle
                // biome-ignore lint/suspicious/noArrayIndexKey: a dot a series, in their order
                key={i}
                cx={each.x}
                cy={each.y}
                r={stop.rows[i] === row ? 5 : 3.5}
                fill={colourOf(data, stop.rows[i]?.series ?? 0, theme)}
              />
            ),
          )}
        </svg>
      )}
    </>
  );
}

type ValuesProps = Pick<ReturnType<typeof useChartCursor>, "stop" | "row" | "spot"> & {
  picture: Picture;
  look: CellLook;
  theme: Theme;
  frame: Element | null;
};

/** Values under the crosshair. */
function Values({ picture, look, theme, frame, stop, row, spot }: ValuesProps) {
  const box = frame?.getBoundingClientRect();
  if (stop === null || spot === null || !box) return null;
  const { data, kind } = picture;
  const total = stop.total ?? null;
  return (
    <ChartTip
      at={{ x: box.left + spot.x, y: box.top + spot.y }}
      title={formatStop(picture, stop, look)}
      lines={stop.rows.map((each) => ({
        name: kind === "pie" ? "" : (data.series[each.series]?.name ?? ""),
        value: formatRow(picture, each, look),
        colour: data.series.length > 1 ? colourOf(data, each.series, theme) : null,
        isActive: each === row && stop.rows.length > 1,
      }))}
      total={total === null ? null : formatUp(total, picture, 0, look)}
    />
  );
}

/** Draws a line at the stop, a band over a bar, and both for a dot. */
function Crosshair({ picture, chart, spot }: { picture: Picture; chart: DrawnChart; spot: Spot }) {
  const { left, top, width, height } = chart;
  if (picture.kind === "pie") return null;
  const lying = isLying(picture);
  const band = chart.toBand(lying ? "y" : "x");
  if (band > 0 && picture.kind === "bar" && lying) {
    return <rect className="band" x={left} width={width} y={spot.y - band / 2} height={band} />;
  }
  if (band > 0 && (picture.kind === "bar" || picture.kind === "histogram")) {
    return <rect className="band" x={spot.x - band / 2} width={band} y={top} height={height} />;
  }
  return (
    <>
      <line x1={spot.x} x2={spot.x} y1={top} y2={top + height} />
      {picture.kind === "scatter" && <line x1={left} x2={left + width} y1={spot.y} y2={spot.y} />}
    </>
  );
}
