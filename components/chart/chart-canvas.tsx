"use client";

import { useEffect, useId, useMemo, useRef, useState } from "react";
import { ChartLegend } from "@/components/chart/chart-legend";
import { ChartTip } from "@/components/chart/chart-tip";
import { type DrawnChart, drawChart } from "@/components/chart/draw-chart";
import { useChartTheme } from "@/components/chart/use-chart-theme";
import { useSize } from "@/components/chart/use-size";
import type { Picture, Stop, StopRow } from "@/lib/base/charts/picture";
import { colourOf, findEndsRoom, isLying, PIE_HOLE, toDrawnSpec, toPieRadius } from "@/lib/base/charts/spec";
import { describeChart, describeStop, formatRow, formatStop, formatUp } from "@/lib/base/charts/words";
import type { CellLook } from "@/lib/base/values/cell-look";
import { formatCountOf } from "@/lib/platform/browser/format";

/** Handlers for selecting marks, supplied by the caller. */
export type ChartMarks = {
  /** Returns whether a stop is selected. */
  isPicked: (stop: Stop) => boolean;
  /** @param isAdding true to add to the selection instead of replacing it */
  onPick: (stop: Stop, row: StopRow, isAdding: boolean) => void;
  /** Null where the axis has no ranges. */
  onRange: ((from: Stop, to: Stop) => void) | null;
};
type ChartCanvasProps = {
  picture: Picture;
  look: CellLook;
  hidden: ReadonlySet<number>;
  onToggle: (series: number) => void;
  marks?: ChartMarks | undefined;
};
/** First and last stop of the range being brushed, in either order. */
type Brush = { from: number; to: number };
/** Position of the crosshair: a stop and one of its rows. Spots are in pixels of the chart. */
type Cursor = { stop: number; row: number };
type Spot = { x: number; y: number };

/** Maximum distance between the pointer and a dot that counts as hovering it. */
const NEAR_PX = 32;
const PAGE = 10;
/** Minimum pointer movement that counts as brushing; anything shorter is a click on one mark. */
const BRUSH_FROM_PX = 6;
/** Height of a row of disabled series names below the line ends. */
const END_ROW_PX = 17;

/** The chart with its legend and crosshair. Mouse, touch and arrow keys move the crosshair from mark to mark. */
export function ChartCanvas({ picture, look, hidden, onToggle, marks }: ChartCanvasProps) {
  const frameRef = useRef<HTMLDivElement>(null);
  const hostRef = useRef<HTMLDivElement>(null);
  const summaryId = useId();
  const theme = useChartTheme();
  const size = useSize(frameRef);
  const [drawn, setDrawn] = useState<{ chart: DrawnChart; picture: Picture } | null>(null);
  const [isFailed, setIsFailed] = useState(false);
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const [brush, setBrush] = useState<Brush | null>(null);
  /** Position of the last pointer-down, with the cursor under it and the cursor before it. */
  const down = useRef<{ x: number; at: Cursor | null; before: Cursor | null } | null>(null);
  const { data, stops, kind } = picture;
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
  }, [picture, theme, size, endsRoom]);

  // A chart drawn from other data has different coordinates.
  const chart = drawn?.picture === picture ? drawn.chart : null;
  const stop = cursor === null ? null : (stops[cursor.stop] ?? null);
  const row = stop === null ? null : (stop.rows[Math.min(cursor?.row ?? 0, stop.rows.length - 1)] ?? null);
  const spots = chart === null || stop === null ? [] : toSpots(picture, chart, stop);
  const spot = spots[row === null ? 0 : (stop?.rows.indexOf(row) ?? 0)] ?? spots.find((each) => each !== null) ?? null;
  const isShown = stop !== null && spot !== null;
  useEffect(() => {
    if (!isShown) return;
    const leave = (event: Event) => {
      if (event.type === "scroll" || !frameRef.current?.contains(event.target as Node)) setCursor(null);
    };
    document.addEventListener("pointerdown", leave);
    window.addEventListener("scroll", leave, true);
    return () => {
      document.removeEventListener("pointerdown", leave);
      window.removeEventListener("scroll", leave, true);
    };
  }, [isShown]);

  const pick = (at: Cursor, isAdding: boolean) => {
    const picked = stops[at.stop];
    const pickedRow = picked?.rows[Math.min(at.row, picked.rows.length - 1)];
    if (picked && pickedRow) marks?.onPick(picked, pickedRow, isAdding);
  };
  const brushed = (range: Brush) => {
    const ends = [stops[Math.min(range.from, range.to)], stops[Math.max(range.from, range.to)]] as const;
    setBrush(null);
    if (ends[0] && ends[1]) marks?.onRange?.(ends[0], ends[1]);
  };
  const point = (event: React.PointerEvent) => {
    const box = frameRef.current?.getBoundingClientRect();
    if (!box || chart === null) return;
    const at = findCursor(picture, chart, { x: event.clientX - box.left, y: event.clientY - box.top });
    if (event.type === "pointerdown") down.current = { x: event.clientX, at, before: cursor };
    setCursor(at);
    // A moving finger reads the marks one after another.
    const isBrushing = down.current !== null && marks?.onRange && event.pointerType !== "touch";
    if (!isBrushing || !down.current?.at || at === null) return;
    if (brush === null && Math.abs(event.clientX - down.current.x) < BRUSH_FROM_PX) return;
    if (brush === null) event.currentTarget.setPointerCapture(event.pointerId);
    setBrush({ from: down.current.at.stop, to: at.stop });
  };
  const release = (event: React.PointerEvent) => {
    const started = down.current;
    down.current = null;
    if (marks === undefined || started === null || event.button !== 0) return;
    if (brush !== null) return brushed(brush);
    // The first tap shows the values, the second one on the same mark clicks it.
    const isShown = event.pointerType !== "touch" || started.before?.stop === started.at?.stop;
    if (started.at !== null && isShown) pick(started.at, event.shiftKey || event.metaKey || event.ctrlKey);
  };
  const press = (event: React.KeyboardEvent) => {
    if (event.key === "Escape") {
      if (cursor === null) return;
      event.stopPropagation();
      setBrush(null);
      return setCursor(null);
    }
    if (marks && cursor !== null && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      return brush === null ? pick(cursor, event.shiftKey || event.metaKey || event.ctrlKey) : brushed(brush);
    }
    const next = moveCursor(event.key, cursor, picture);
    if (next === null) return;
    event.preventDefault();
    const isExtending = event.shiftKey && cursor !== null && marks?.onRange && next.stop !== cursor.stop;
    setBrush(isExtending ? { from: brush?.from ?? cursor.stop, to: next.stop } : null);
    setCursor(next);
  };
  const box = frameRef.current?.getBoundingClientRect();
  const ends = endsRoom === null || chart === null ? null : toEnds(picture, chart, hidden);
  const hasLegend = data.series.length > 1;
  const total = stop?.total ?? null;
  return (
    <div className="chart-canvas">
      {hasLegend && endsRoom === null && (
        <ChartLegend data={data} theme={theme} hidden={hidden} onToggle={onToggle} ends={null} />
      )}
      {isFailed && <p className="chart-said">Couldn't draw the chart. Choose another type.</p>}
      <div ref={frameRef} className="chart-frame">
        <div className="chart-picture" role="img" aria-labelledby={summaryId}>
          <div ref={hostRef} className="chart-host" />
        </div>
        {chart !== null && marks && kind !== "scatter" && (
          <svg className="chart-cross" aria-hidden="true">
            {toBands(
              picture,
              chart,
              (at, each) => isBrushed(brush, at) || (brush === null && marks.isPicked(each)),
            ).map((band) => (
              <rect key={band.at} className="picked" {...band.box} />
            ))}
          </svg>
        )}
        {chart !== null && isShown && (
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
        <div
          className="chart-hand"
          role="slider"
          tabIndex={0}
          aria-label={marks ? "Data points. Press Enter to filter." : "Data points"}
          aria-valuemin={1}
          aria-valuemax={Math.max(1, stops.length)}
          aria-valuenow={(cursor?.stop ?? 0) + 1}
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
          onPointerMove={point}
          onPointerDown={point}
          onPointerUp={release}
          onPointerCancel={() => {
            down.current = null;
            setBrush(null);
          }}
          onPointerLeave={(event) => event.pointerType === "mouse" && setCursor(null)}
          onBlur={() => {
            setCursor(null);
            setBrush(null);
          }}
          onKeyDown={press}
        />
        {ends !== null && <ChartLegend data={data} theme={theme} hidden={hidden} onToggle={onToggle} ends={ends} />}
      </div>
      <p id={summaryId} className="sr-only">
        {describeChart(picture, look)}
      </p>
      {isShown && box && (
        <ChartTip
          at={{ x: box.left + spot.x, y: box.top + spot.y }}
          title={formatStop(picture, stop, look)}
          lines={stop.rows.map((each) => ({
            name: kind === "pie" ? "" : (data.series[each.series]?.name ?? ""),
            value: formatRow(picture, each, look),
            colour: hasLegend ? colourOf(data, each.series, theme) : null,
            isActive: each === row && stop.rows.length > 1,
          }))}
          total={total === null ? null : formatUp(total, picture, 0, look)}
        />
      )}
    </div>
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

function isBrushed(brush: Brush | null, at: number): boolean {
  return brush !== null && at >= Math.min(brush.from, brush.to) && at <= Math.max(brush.from, brush.to);
}

/** Returns bands behind the selected stops. Each extends half-way to its neighbours. */
function toBands(picture: Picture, chart: DrawnChart, isIn: (at: number, stop: Stop) => boolean) {
  const { stops, kind } = picture;
  const { left, top, width, height } = chart;
  const lying = isLying(picture);
  const [start, length] = lying ? [top, height] : [left, width];
  const middle = (stop: Stop | undefined) =>
    stop === undefined || kind === "pie" ? null : chart.toPx(lying ? "y" : "x", toAcross(picture, stop));
  return stops.flatMap((stop, at) => {
    if (!isIn(at, stop)) return [];
    if (kind === "pie") {
      const [spot] = toSpots(picture, chart, stop);
      return spot ? [{ at, box: { x: spot.x - 5, y: spot.y - 5, width: 10, height: 10, rx: 5 } }] : [];
    }
    const here = middle(stop);
    if (here === null) return [];
    const ends = [middle(stops[at - 1]), middle(stops[at + 1])].map((each) => each ?? null);
    const gaps = ends.flatMap((each) => (each === null ? [] : [Math.abs(each - here) / 2]));
    const half = chart.toBand(lying ? "y" : "x") / 2 || Math.min(...gaps, length / 2);
    const low = start + Math.max(0, here - half);
    const size = Math.min(length, here + half) - Math.max(0, here - half);
    const box = lying ? { x: left, width, y: low, height: size } : { x: low, width: size, y: top, height };
    return [{ at, box }];
  });
}

/** Returns the positions of a stop's rows, in pixels of the chart; null for rows without a value. */
function toSpots(picture: Picture, chart: DrawnChart, stop: Stop): (Spot | null)[] {
  const { kind } = picture;
  if (kind === "pie") {
    const angle = Number(stop.across) * 2 * Math.PI;
    const radius = (toPieRadius(chart) * (1 + PIE_HOLE)) / 2;
    const [x, y] = [chart.left + chart.width / 2, chart.top + chart.height / 2];
    return [{ x: x + radius * Math.sin(angle), y: y - radius * Math.cos(angle) }];
  }
  const lying = isLying(picture);
  const at = toAcross(picture, stop);
  return stop.rows.map((row) => {
    const across = chart.toPx(lying ? "y" : "x", at);
    const up = chart.toPx(lying ? "x" : "y", row.at ?? Math.max(0, picture.up.low));
    if (across === null || up === null || (row.at === null && stop.rows.length > 1)) return null;
    return lying ? { x: chart.left + up, y: chart.top + across } : { x: chart.left + across, y: chart.top + up };
  });
}

/** Returns the stop nearest to the pointer, and its nearest row. */
function findCursor(picture: Picture, chart: DrawnChart, at: Spot): Cursor | null {
  const { kind, stops } = picture;
  const lying = isLying(picture);
  if (kind === "pie") {
    const [dx, dy] = [at.x - chart.left - chart.width / 2, at.y - chart.top - chart.height / 2];
    const radius = toPieRadius(chart);
    const distance = Math.hypot(dx, dy);
    if (distance > radius + 4 || distance < radius * PIE_HOLE - 4) return null;
    const part = (Math.atan2(dx, -dy) / (2 * Math.PI) + 1) % 1;
    const stop = picture.marks.findIndex(({ low, high }) => part >= low && part < high);
    return stop < 0 ? null : { stop, row: 0 };
  }
  let best: Cursor | null = null;
  let least = Number.POSITIVE_INFINITY;
  const judge = (stop: number) => {
    for (const [row, spot] of toSpots(picture, chart, stops[stop] as Stop).entries()) {
      if (spot === null) continue;
      const up = Math.abs(lying ? at.x - spot.x : at.y - spot.y);
      const distance = kind === "scatter" ? Math.hypot(at.x - spot.x, up) : up;
      if (distance >= least) continue;
      least = distance;
      best = { stop, row };
    }
  };
  if (kind === "scatter") {
    for (const i of stops.keys()) judge(i);
    return least > NEAR_PX ? null : best;
  }
  // Find the nearest stop along the axis first, then compare rows of that stop only: there may be thousands.
  const axis = lying ? "y" : "x";
  const px = lying ? at.y - chart.top : at.x - chart.left;
  let nearest = -1;
  let gap = Number.POSITIVE_INFINITY;
  for (const [i, stop] of stops.entries()) {
    const place = chart.toPx(axis, toAcross(picture, stop));
    if (place === null || Math.abs(place - px) >= gap) continue;
    gap = Math.abs(place - px);
    nearest = i;
  }
  if (nearest >= 0) judge(nearest);
  return best;
}

/** Returns a stop's axis value: the middle of a bin, or the name of a category. */
function toAcross({ kind, data }: Picture, { across }: Stop): number | string {
  if (typeof across === "string") return across;
  if (kind === "scatter" && data.scale === "category") return data.places[across]?.at ?? "";
  return kind === "histogram" ? across + (data.step?.size ?? 0) / 2 : across;
}

/** Moves along the axis from stop to stop, and across it from series to series. */
function moveCursor(key: string, cursor: Cursor | null, picture: Picture): Cursor | null {
  const { stops } = picture;
  const lying = isLying(picture);
  const last = stops.length - 1;
  if (last < 0) return null;
  const [before, after, less, more] = lying ? ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"] : ["ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp"]; // biome-ignore format: one choice
  const steps: Record<string, number> = { [before]: -1, [after]: 1, PageUp: -PAGE, PageDown: PAGE };
  const step = steps[key];
  if (key === "Home") return { stop: 0, row: cursor?.row ?? 0 };
  if (key === "End") return { stop: last, row: cursor?.row ?? 0 };
  if (step !== undefined) {
    if (cursor === null) return { stop: step > 0 ? 0 : last, row: 0 };
    return { ...cursor, stop: Math.max(0, Math.min(last, cursor.stop + step)) };
  }
  if (key !== less && key !== more) return null;
  if (cursor === null) return { stop: 0, row: 0 };
  const rows = stops[cursor.stop]?.rows ?? [];
  const row = cursor.row + (key === more ? -1 : 1);
  return { ...cursor, row: Math.max(0, Math.min(rows.length - 1, row)) };
}

function toEnds({ data, stops }: Picture, chart: DrawnChart, hidden: ReadonlySet<number>) {
  const last = stops.at(-1);
  let off = 0;
  const tops = data.series.map((_, series) => {
    const at = last?.rows.find((row) => row.series === series)?.at;
    if (at !== undefined && at !== null && !hidden.has(series)) return chart.top + (chart.toPx("y", at) ?? 0);
    const top = chart.top + chart.height - off * END_ROW_PX;
    off += 1;
    return top;
  });
  return { x: chart.left + chart.width + 6, tops };
}
