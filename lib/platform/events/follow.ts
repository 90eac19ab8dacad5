import "server-only";
import type { ObjectId } from "mongodb";
import { type Reader, teller } from "./event-feed";
import type { EventDoc } from "./model";

/**
 * Subscribes to the workspace's changes from now on, from all servers, for code inside of the server. Events are hints:
 * subscribers must read the stored state.
 * @param hear must not throw and not wait; it also gets events for a single user
 * @returns a function that unsubscribes
 */
export async function followEvents(workspaceId: ObjectId, hear: (event: EventDoc) => void): Promise<() => void> {
  const reader: Reader = { take: (events) => events.forEach(hear) };
  await teller().join(workspaceId, reader, null);
  return () => teller().leave(workspaceId, reader);
}
