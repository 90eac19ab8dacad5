import "server-only";
import type { ObjectId } from "mongodb";
import { WORKSPACE_SPACE } from "@/lib/features/folders/model";
import { publish } from "@/lib/platform/events/publish";
import { sharedState } from "@/lib/platform/process/shared-state";
import type { ConsoleDoc } from "./model";

type Standing = Pick<ConsoleDoc, "_id" | "workspaceId" | "space" | "ownerId">;

/** Tells those who look on that what belongs to a console has changed, as its schedule: of a private one its owner alone. */
export function tellConsole({ _id, workspaceId, space, ownerId }: Standing): void {
  const onlyFor = space === WORKSPACE_SPACE ? {} : { onlyFor: ownerId };
  publish({ workspaceId, kind: "console", resourceType: "console", resourceId: _id, ...onlyFor });
}

/** Others need not know it to the second, and nobody types for longer than this without a word of it. */
const TELL_EDITING_EVERY_MS = 5000;
/** The last word of each that types, on this server. */
const WORDS_MAX = 10_000;

/** Tells those who look on at a shared console that somebody types in it; of a private one nobody. */
export function tellEditing({ _id, workspaceId, space }: Standing, userId: ObjectId, now = Date.now()): void {
  if (space !== WORKSPACE_SPACE) return;
  const words = sharedState("consoles-editing", () => new Map<string, number>());
  const key = `${_id.toHexString()}:${userId.toHexString()}`;
  if (now - (words.get(key) ?? 0) < TELL_EDITING_EVERY_MS) return;
  if (words.size >= WORDS_MAX) words.clear();
  words.set(key, now);
  const data = { userId: userId.toHexString() };
  publish({ workspaceId, kind: "presence", resourceType: "console", resourceId: _id, data });
}
