import "server-only";
import type { ObjectId } from "mongodb";
import { publish } from "@/lib/platform/events/publish";
import type { ChatDoc, MessageState } from "./model";

/** Publishes the state of an answer to the pages of the chat's owner. */
export function publishAnswerEvent(
  { _id, workspaceId, ownerId }: Pick<ChatDoc, "_id" | "workspaceId" | "ownerId">,
  messageId: ObjectId,
  state: MessageState,
): void {
  publish({
    workspaceId,
    kind: "plan",
    resourceType: "chat",
    resourceId: _id,
    onlyFor: ownerId,
    data: { messageId: messageId.toHexString(), state },
  });
}
