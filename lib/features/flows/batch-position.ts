import type { Load } from "@/lib/features/connections/data-source";

/** Number of events of a batch that are done, from the first, and the refused ones among them. */
export type Written = { at: number; refused: number[] };

/** Position of a webhook batch, stored by the destination with the rows. */
type BatchPosition = { batch: string; at?: number; refused?: number[] };

/**
 * Suffix of the batch's name while a part is written. A server of an earlier version takes the plain name as the whole
 * batch, so during a rolling upgrade it would never write the rest.
 */
const PART = "#part";

/** Returns the position to store once `written.at` of the batch's `count` events are done. */
export function toPosition(batch: string, written: Written, count: number): BatchPosition {
  return { batch: written.at < count ? `${batch}${PART}` : batch, ...written };
}

/** Returns the part of a batch that the destination already has: all of it without `at`, as earlier versions wrote. */
export function writtenOf({ isResumed, position }: Load["state"], batch: string, count: number): Written {
  const stored = position as BatchPosition | null;
  if (!isResumed || (stored?.batch !== batch && stored?.batch !== `${batch}${PART}`)) return { at: 0, refused: [] };
  return { at: stored.at ?? count, refused: stored.refused ?? [] };
}
