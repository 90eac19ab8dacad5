"use client";

import { useState } from "react";

/** Number of rows that a page renders at once: more than anyone reads, few enough to render instantly. */
const STEP = 100;

export type Slice<T> = { shown: T[]; left: number; showMore: () => void };

/** Returns the start of a long list, and a function that shows more of it. */
export function useSlice<T>(items: T[]): Slice<T> {
  const [count, setCount] = useState(STEP);
  return {
    shown: items.slice(0, count),
    left: Math.max(0, items.length - count),
    showMore: () => setCount(count + STEP),
  };
}

/** Renders nothing if the whole list is shown. */
export function ShowMore({ slice: { left, showMore } }: { slice: Slice<unknown> }) {
  if (left === 0) return null;
  return (
    <button type="button" className="btn more" onClick={showMore}>
      Show {Math.min(left, STEP)} more of {left}
    </button>
  );
}
