"use client";

import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import {
  followScroll,
  fromTrack,
  type ScrollScale,
  toTopMax,
  toTrack,
  toTrackPx,
} from "@/lib/features/results/browser/scroll-scale";

/** Idle time after which the scroll position is corrected, which is not visible. */
const SETTLE_AFTER_MS = 140;

type ScrollPosition = {
  /** Scroll offset of the content, in its own pixels. */
  top: number;
  /** Difference between pixels of the content and of the track: `track = content + shift`. */
  shift: number;
};

/**
 * Scrolls rows that are taller than the maximum height of an element; lower ones scroll natively.
 * @param headPx height of the fixed part above the rows, inside the same element
 */
export function useScaledScroll(ref: RefObject<HTMLElement | null>, rowCount: number, rowPx: number, headPx: number) {
  const [viewPx, setViewPx] = useState(0);
  const [position, setPosition] = useState<ScrollPosition>({ top: 0, shift: 0 });
  const at = useRef(0);
  const top = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const scale: ScrollScale = { contentPx: rowCount * rowPx, viewPx };
  const scaleRef = useRef(scale);
  scaleRef.current = scale;

  const show = useCallback((next: number, track: number) => {
    top.current = next;
    at.current = track;
    setPosition((current) => {
      const shift = track - next;
      return current.top === next && current.shift === shift ? current : { top: next, shift };
    });
  }, []);

  /** Sets the scroll position that corresponds to the content's position on the track. */
  const settle = useCallback(() => {
    const element = ref.current;
    if (element === null) return;
    const track = toTrack(scaleRef.current, top.current);
    if (Math.abs(element.scrollTop - track) >= 1) element.scrollTop = track;
    show(top.current, element.scrollTop);
  }, [ref, show]);

  const onScroll = useCallback(() => {
    const element = ref.current;
    if (element === null || element.scrollTop === at.current) return;
    const { contentPx } = scaleRef.current;
    const next = followScroll(scaleRef.current, top.current, at.current, element.scrollTop);
    // In the same frame as the browser's own scroll, or the rows would visibly jump.
    flushSync(() => show(next, element.scrollTop));
    clearTimeout(timer.current);
    if (toTrackPx(scaleRef.current) === contentPx) return;
    const isAtEnd = element.scrollTop <= 0 || element.scrollTop >= element.scrollHeight - element.clientHeight - 1;
    const isWhereItEnds = next <= 0 || next >= toTopMax(scaleRef.current);
    if (isAtEnd && !isWhereItEnds) settle();
    else timer.current = setTimeout(settle, SETTLE_AFTER_MS);
  }, [ref, show, settle]);

  const scrollToRow = useCallback(
    (row: number) => {
      const element = ref.current;
      if (element === null) return;
      const { viewPx } = scaleRef.current;
      const start = row * rowPx;
      const end = start + rowPx;
      const next = start < top.current ? start : end > top.current + viewPx ? end - viewPx : top.current;
      if (next === top.current) return;
      top.current = Math.max(0, Math.min(toTopMax(scaleRef.current), next));
      settle();
    },
    [ref, rowPx, settle],
  );

  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setViewPx(Math.max(0, element.clientHeight - headPx)));
    observer.observe(element);
    return () => {
      observer.disconnect();
      clearTimeout(timer.current);
    };
  }, [ref, headPx]);

  // Fewer rows, or lower ones: the position may be past the end now. The browser has moved the position already.
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what the position depends on
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    top.current = Math.min(top.current, toTopMax(scaleRef.current));
    if (element.scrollTop === 0 && at.current !== 0) top.current = fromTrack(scaleRef.current, 0);
    settle();
  }, [rowCount, rowPx, viewPx]);

  const first = Math.max(0, Math.floor(position.top / rowPx));
  const last = Math.min(rowCount, Math.ceil((position.top + viewPx) / rowPx));
  return { trackPx: toTrackPx(scale), shift: position.shift, first, last, viewPx, onScroll, scrollToRow };
}
