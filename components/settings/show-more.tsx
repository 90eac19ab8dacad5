"use client";

import { useState } from "react";

/** Rows that a page draws at once: more than anybody reads, few enough to be drawn in no time. */
const STEP = 100;

export type Slice<T> = { shown: T[]; left: number; showMore: () => void };

/** The beginning of a long list, and how to see more of it. */
export function useSlice<T>(items: T[]): Slice<T> {
  const [count, setCount] = useState(STEP);
  return {
    shown: items.slice(0, count),
    left: Math.max(0, items.length - count),
    showMore: () => setCount(count + STEP),
  };
}

/** Nothing while the whole list is there. */
export function ShowMore({ slice: { left, showMore } }: { slice: Slice<unknown> }) {
  if (left === 0) return null;
  return (
    <button type="button" className="btn more" onClick={showMore}>
      Show {Math.min(left, STEP)} more of {left}
    </button>
  );
}
