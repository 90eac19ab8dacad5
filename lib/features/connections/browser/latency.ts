/** So far from the edges the line is drawn, that none of its width is cut off. */
const MARGIN = 2;

/** The middle one by size; of an even number, the lower of the two in the middle, which is one that was measured. */
export function toMiddle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}

/** A line through the values from left to right, from 0 at the bottom up. */
export function toLatencyPath(values: readonly number[], width: number, height: number): string {
  const largest = Math.max(...values, Number.MIN_VALUE);
  const step = (width - 2 * MARGIN) / Math.max(1, values.length - 1);
  const points = values.map((value, index) => {
    const x = MARGIN + index * step;
    const y = height - MARGIN - (value / largest) * (height - 2 * MARGIN);
    return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
  });
  return points.length === 0 ? "" : `M${points.join("L")}`;
}
