/** A `Date` header has whole seconds: the last millisecond of its second, so that no stored time is later than now. */
const WITHIN_SECOND_MS = 999;

/** Time by which the server's clock is ahead of this browser's, in ms. */
let aheadMs = 0;

/** Notes the server's time. @param header the `Date` of a response that has just arrived; null if it has none */
export function noteServerTime(header: string | null): void {
  const time = Date.parse(header ?? "");
  if (!Number.isNaN(time)) aheadMs = time + WITHIN_SECOND_MS - Date.now();
}

/**
 * Returns the time of the server's clock in ms since 1970, at most a second ahead of it. Before the first response, it
 * is the time of the browser's clock.
 */
export function serverNow(): number {
  return Date.now() + aheadMs;
}
