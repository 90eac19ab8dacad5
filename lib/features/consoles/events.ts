import "server-only";
import type { ObjectId } from "mongodb";
import { WORKSPACE_SPACE } from "@/lib/features/folders/model";
import { publish } from "@/lib/platform/events/publish";
import { serverMember } from "@/lib/platform/process/server-context";
import type { ConsoleDoc } from "./model";

type Standing = Pick<ConsoleDoc, "_id" | "workspaceId" | "space">;

/** Interval between typing events. Others do not need them to the second. */
const TELL_EDITING_EVERY_MS = 5000;
/** Maximum number of users whose last typing event this server remembers. */
const WORDS_MAX = 10_000;

const editors = serverMember("consoleEditors", () => new Map());

/** Publishes that a user is typing in a shared console; nothing for a private one. */
export function publishEditingEvent({ _id, workspaceId, space }: Standing, userId: ObjectId, now = Date.now()): void {
  if (space !== WORKSPACE_SPACE) return;
  const words = editors();
  const key = `${_id.toHexString()}:${userId.toHexString()}`;
  if (now - (words.get(key) ?? 0) < TELL_EDITING_EVERY_MS) return;
  if (words.size >= WORDS_MAX) words.clear();
  words.set(key, now);
  const data = { userId: userId.toHexString() };
  publish({ workspaceId, kind: "presence", resourceType: "console", resourceId: _id, data });
}
