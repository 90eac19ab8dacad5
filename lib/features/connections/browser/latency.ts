/** Margin that keeps the stroke from being clipped at the edges. */
const MARGIN = 2;

/** Returns the median. For an even number of values it is the lower of the two middle ones, which was measured. */
export function toMiddle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}

/** Returns the path of a line through the values, left to right, with 0 at the bottom. */
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
