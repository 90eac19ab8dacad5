import type { EventData } from "@/lib/platform/events/schema";

/** A push to main: its short commit id, the user's name, and its number of changed files. */
export type Push = { sha: string; name: string; files: number };

/** A change of an open item by someone else. `push` is null for a save, `userId` while its event is not known. */
export type ItemNews = { userId: string | null; push: Push | null };

/** Returns the change that an event reports; null for the user's own saves and for other events. */
export function toItemNews({ userId, push }: EventData, ownId: string): ItemNews | null {
  if (typeof userId !== "string" || (userId === ownId && push === undefined)) return null;
  return { userId, push: (push as Push | undefined) ?? null };
}
