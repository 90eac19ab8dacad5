"use client";

import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from "react";
import { type Brush, type Cursor, findCursor, moveCursor, toSpots } from "@/components/chart/chart-geometry";
import type { DrawnChart } from "@/components/chart/draw-chart";
import type { Picture, Stop, StopRow } from "@/lib/base/charts/picture";

/** Handlers for selecting marks, supplied by the caller. */
export type ChartMarks = {
  /** Returns whether a stop is selected. */
  isPicked: (stop: Stop) => boolean;
  /** @param isAdding true to add to the selection instead of replacing it */
  onPick: (stop: Stop, row: StopRow, isAdding: boolean) => void;
  /** Null where the axis has no ranges. */
  onRange: ((from: Stop, to: Stop) => void) | null;
};

/** Minimum pointer movement that counts as brushing; anything shorter is a click on one mark. */
const BRUSH_FROM_PX = 6;

type ChartCursorProps = {
  picture: Picture;
  /** Null while the chart is being drawn. */
  chart: DrawnChart | null;
  frameRef: RefObject<HTMLElement | null>;
  marks: ChartMarks | undefined;
};

/** Returns the crosshair and the brush of a chart, which pointer and keys move, with the values under the crosshair. */
export function useChartCursor({ picture, chart, frameRef, marks }: ChartCursorProps) {
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const [brush, setBrush] = useState<Brush | null>(null);
  /** Position of the last pointer-down, with the cursor under it and the cursor before it. */
  const down = useRef<{ x: number; at: Cursor | null; before: Cursor | null } | null>(null);
  const { stops } = picture;
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
  }, [isShown, frameRef]);

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
  const onPointer = (event: PointerEvent) => {
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
  const onPointerUp = (event: PointerEvent) => {
    const started = down.current;
    down.current = null;
    if (marks === undefined || started === null || event.button !== 0) return;
    if (brush !== null) return brushed(brush);
    // The first tap shows the values, the second one on the same mark clicks it.
    const isShown = event.pointerType !== "touch" || started.before?.stop === started.at?.stop;
    if (started.at !== null && isShown) pick(started.at, event.shiftKey || event.metaKey || event.ctrlKey);
  };
  const onKeyDown = (event: KeyboardEvent) => {
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
  return {
    brush,
    /** Stop under the crosshair; null without one. */
    stop,
    /** Row of the stop that is marked. */
    row,
    /** Positions of the stop's rows; null for rows without a value. */
    spots,
    /** Position of the crosshair. */
    spot,
    /** Place of the stop in the chart. */
    stopAt: cursor?.stop ?? 0,
    handlers: {
      onPointerMove: onPointer,
      onPointerDown: onPointer,
      onPointerUp,
      onPointerCancel: () => {
        down.current = null;
        setBrush(null);
      },
      onPointerLeave: (event: PointerEvent) => event.pointerType === "mouse" && setCursor(null),
      onBlur: () => {
        setCursor(null);
        setBrush(null);
      },
      onKeyDown,
    },
  };
}
