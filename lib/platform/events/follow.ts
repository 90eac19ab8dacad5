import "server-only";
import type { ObjectId } from "mongodb";
import type { EventDoc } from "./model";
import { type Reader, teller } from "./tell";

/**
 * Hears of the workspace's changes from now on, on whichever server they are made, for what waits inside of the server.
 * Events are hints: whoever waits for something looks at what is stored.
 * @param hear must not throw and not wait; it gets what is for one person alone, too
 * @returns stops
 */
export async function followEvents(workspaceId: ObjectId, hear: (event: EventDoc) => void): Promise<() => void> {
  const reader: Reader = { take: (events) => events.forEach(hear) };
  await teller().join(workspaceId, reader, null);
  return () => teller().leave(workspaceId, reader);
}
