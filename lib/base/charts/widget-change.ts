/* Describes the change of a figure since an earlier one. */

/** Decimal places of a percentage; more would be noise. */
const SHOWN_DIGITS = 1;

/** Returns 0.25 for a quarter more; null if there is no base to compare with. */
export function toChange(now: number | null, then: number | null): number | null {
  if (now === null || then === null || then === 0) return null;
  return (now - then) / Math.abs(then);
}

/** "+25%", "-3.1%", "0%". */
export function formatChange(change: number): string {
  const percent = Number((change * 100).toFixed(SHOWN_DIGITS));
  return `${percent > 0 ? "+" : ""}${percent}%`;
}

/** An increase is good only if the specification says so. */
export function toTone(change: number, better: unknown): "good" | "bad" | undefined {
  if (change === 0 || (better !== "up" && better !== "down")) return undefined;
  return change > 0 === (better === "up") ? "good" : "bad";
}
