"use client";

import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react";
import { type Brush, type Cursor, findCursor, moveCursor, type Spot, toSpots } from "@/components/chart/chart-geometry";
import type { DrawnChart } from "@/components/chart/draw-chart";
import { isMenuKey } from "@/components/ui/context-menu";
import type { Picture, Stop, StopRow } from "@/lib/base/charts/picture";

/** Handlers for selecting marks, supplied by the caller. */
export type ChartMarks = {
  /** What Enter does, for the keyboard: "to filter". */
  purpose: string;
  /** Returns whether a stop is selected. */
  isPicked: (stop: Stop) => boolean;
  /**
   * @param isAdding true to add to the selection instead of replacing it
   * @param at position of the mark, in pixels of the window
   */
  onPick: (stop: Stop, row: StopRow, isAdding: boolean, at: Spot) => void;
  /** Opens the mark's menu; omitted where marks have none. */
  onMenu?: ((stop: Stop, row: StopRow, at: Spot) => void) | undefined;
  /** Null where the axis has no ranges. */
  onRange: ((from: Stop, to: Stop) => void) | null;
};

/** Minimum pointer movement that counts as brushing; anything shorter is a click on one mark. */
const BRUSH_FROM_PX = 6;

/** A press of the pointer, in pixels of the window: a chart that is drawn again during it has other stops. */
type Press = { from: Spot; to: Spot; before: Cursor | null; isBrush: boolean; isTouch: boolean; isAdding: boolean };

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
  const press = useRef<Press | null>(null);
  /** A press that ended while the chart was being drawn. */
  const released = useRef<Press | null>(null);
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

  /** Returns the stop at a point of the window; null between stops, and while the chart is being drawn. */
  const cursorAt = ({ x, y }: Spot): Cursor | null => {
    const box = frameRef.current?.getBoundingClientRect();
    return box && chart !== null ? findCursor(picture, chart, { x: x - box.left, y: y - box.top }) : null;
  };
  const withMark = (at: Cursor, use: (stop: Stop, row: StopRow, at: Spot) => void) => {
    const picked = stops[at.stop];
    const pickedRow = picked?.rows[Math.min(at.row, picked.rows.length - 1)];
    if (!picked || !pickedRow) return;
    // Keys work before the chart is drawn, and without its places.
    const spot = chart && toSpots(picture, chart, picked)[picked.rows.indexOf(pickedRow)];
    const { left = 0, top = 0 } = frameRef.current?.getBoundingClientRect() ?? {};
    use(picked, pickedRow, { x: left + (spot?.x ?? 0), y: top + (spot?.y ?? 0) });
  };
  const pick = (at: Cursor, isAdding: boolean) =>
    withMark(at, (picked, pickedRow, place) => marks?.onPick(picked, pickedRow, isAdding, place));
  const brushed = (range: Brush) => {
    const ends = [stops[Math.min(range.from, range.to)], stops[Math.max(range.from, range.to)]] as const;
    setBrush(null);
    if (ends[0] && ends[1]) marks?.onRange?.(ends[0], ends[1]);
  };
  const finish = ({ from, to, before, isBrush, isTouch, isAdding }: Press) => {
    const [start, end] = [cursorAt(from), cursorAt(to)];
    setBrush(null);
    if (start === null) return;
    if (isBrush) return brushed({ from: start.stop, to: (end ?? start).stop });
    // The first tap shows the values, the second one on the same mark clicks it.
    if (!isTouch || before?.stop === start.stop) pick(start, isAdding);
  };
  useEffect(() => {
    const ended = released.current;
    if (chart === null || ended === null) return;
    released.current = null;
    finish(ended);
  });
  const onPointer = (event: PointerEvent) => {
    const point = { x: event.clientX, y: event.clientY };
    const isTouch = event.pointerType === "touch";
    if (event.type === "pointerdown") {
      press.current = { from: point, to: point, before: cursor, isBrush: false, isTouch, isAdding: false };
      released.current = null;
    }
    const at = cursorAt(point);
    if (chart !== null) setCursor(at);
    // A moving finger reads the marks one after another.
    const started = press.current;
    if (started === null || !marks?.onRange || isTouch) return;
    if (!started.isBrush && Math.abs(point.x - started.from.x) < BRUSH_FROM_PX) return;
    if (!started.isBrush) event.currentTarget.setPointerCapture(event.pointerId);
    started.isBrush = true;
    // A pointer beyond the chart keeps the last stop; without a chart, it is not known yet.
    if (at !== null || chart === null) started.to = point;
    const start = cursorAt(started.from);
    if (start !== null && at !== null) setBrush({ from: start.stop, to: at.stop });
  };
  const onPointerUp = (event: PointerEvent) => {
    const started = press.current;
    press.current = null;
    if (marks === undefined || started === null || event.button !== 0) return;
    started.isAdding = event.shiftKey || event.metaKey || event.ctrlKey;
    if (chart === null) released.current = started;
    else finish(started);
  };
  const onContextMenu = (event: MouseEvent) => {
    const { onMenu } = marks ?? {};
    const isPointer = event.button === 2;
    const point = { x: event.clientX, y: event.clientY };
    const at = isPointer ? cursorAt(point) : cursor;
    if (!onMenu || at === null) return;
    event.preventDefault();
    // The menu takes the end of the press, which would otherwise select the mark or go on as a brush.
    press.current = null;
    withMark(at, (picked, pickedRow, place) => onMenu(picked, pickedRow, isPointer ? point : place));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      if (cursor === null) return;
      event.stopPropagation();
      press.current = null;
      setBrush(null);
      return setCursor(null);
    }
    if (marks && cursor !== null && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      return brush === null ? pick(cursor, event.shiftKey || event.metaKey || event.ctrlKey) : brushed(brush);
    }
    const { onMenu } = marks ?? {};
    if (onMenu && cursor !== null && isMenuKey(event)) {
      event.preventDefault();
      return withMark(cursor, onMenu);
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
        press.current = null;
        setBrush(null);
      },
      onPointerLeave: (event: PointerEvent) => event.pointerType === "mouse" && setCursor(null),
      onBlur: () => {
        setCursor(null);
        setBrush(null);
      },
      onContextMenu,
      onKeyDown,
    },
  };
}
