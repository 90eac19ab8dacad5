import "server-only";
import { ObjectId } from "mongodb";
import type { Caller } from "@/lib/access/caller";
import { isDuplicateKey } from "@/lib/db/duplicate-key";
import { inTransaction } from "@/lib/db/transaction";
import { AppError } from "@/lib/http/errors";
import { newChat, noSuchChat, ownedBy, UNTITLED } from "./chats";
import { collections } from "./collections";
import { CHAT_BYTES_MAX, CHAT_MESSAGES_MAX, HISTORY_CHARS_MAX, IMAGE_CHARS, OWN_TITLE_CHARS } from "./limits";
import type { ChatDoc, MessageDoc, MessageState } from "./model";
import type { UserPart } from "./schema";

/** What a turn has of the chat: the person's message, and the answer that is being written. */
export type TurnMessages = { user: MessageDoc; answer: MessageDoc };

/** @throws AppError `not_found` for a chat of somebody else, wherever it is */
export async function refuseForeignChat({ workspaceId, user }: Caller, chatId: ObjectId): Promise<void> {
  const doc = await collections.chats().findOne({ _id: chatId }, { projection: { workspaceId: 1, ownerId: 1 } });
  if (doc && !(doc.workspaceId.equals(workspaceId) && doc.ownerId.equals(user._id))) throw noSuchChat();
}

/**
 * Appends the person's message and an answer to come; a chat that is not there is made. Of those who begin one chat at
 * once its id is one's, and what the others get is what an id of somebody else gets (T62).
 * @throws AppError `not_found` for a chat of somebody else, `conflict` for one that is full
 */
export async function beginTurn(
  caller: Caller,
  chatId: ObjectId,
  parts: UserPart[],
  facts: Pick<ChatDoc, "agentId" | "modelId">,
): Promise<TurnMessages> {
  for (;;) {
    try {
      return await inTransaction((session) => append(session));
    } catch (error) {
      // Somebody has made it at this moment, maybe the same person: now it is there.
      if (!isDuplicateKey(error)) throw error;
    }
  }

  async function append(session: Parameters<Parameters<typeof inTransaction>[0]>[0]): Promise<TurnMessages> {
    const now = new Date();
    const text = JSON.stringify(parts);
    const title = titleOf(parts);
    const before = await collections.chats().findOne({ _id: chatId }, { session });
    if (before && !(before.workspaceId.equals(caller.workspaceId) && before.ownerId.equals(caller.user._id))) {
      throw noSuchChat();
    }
    if (before && (before.messageCount + 2 > CHAT_MESSAGES_MAX || before.bytes + text.length > CHAT_BYTES_MAX)) {
      throw new AppError("conflict", "This chat is full. Begin a new one.");
    }
    const count = (before?.messageCount ?? 0) + 2;
    if (before) {
      await collections.chats().updateOne(
        { _id: chatId, ...ownedBy(caller) },
        {
          $set: { ...facts, updatedAt: now, ...(before.isUntitled && title && { title, isUntitled: false }) },
          $inc: { messageCount: 2, bytes: text.length },
        },
        { session },
      );
    } else {
      const doc = newChat(caller, chatId, { title: title ?? UNTITLED, isUntitled: title === null, ...facts }, now);
      await collections.chats().insertOne({ ...doc, messageCount: count, bytes: text.length }, { session });
    }
    const of = (seq: number, role: MessageDoc["role"], own: string, state: MessageState): MessageDoc => ({
      _id: new ObjectId(),
      workspaceId: caller.workspaceId,
      chatId,
      seq,
      role,
      parts: own,
      state,
      resultIds: [],
      feedback: null,
      createdAt: now,
    });
    const user = of(count - 1, "user", text, "done");
    const answer = of(count, "assistant", "[]", "running");
    await collections.chatMessages().insertMany([user, answer], { session });
    return { user, answer };
  }
}

/** Writes down how far an answer is. @param grown what it has grown by since the last time, in bytes */
export async function saveAnswer(
  answer: MessageDoc,
  parts: string,
  state: MessageState,
  resultIds: ObjectId[],
): Promise<void> {
  const { _id, workspaceId, chatId } = answer;
  const grown = parts.length - answer.parts.length;
  answer.parts = parts;
  const { matchedCount } = await collections
    .chatMessages()
    .updateOne({ _id, workspaceId }, { $set: { parts, state, resultIds } });
  // The chat was deleted meanwhile.
  if (matchedCount === 0) return;
  await collections
    .chats()
    .updateOne({ _id: chatId, workspaceId }, { $inc: { bytes: grown }, $set: { updatedAt: new Date() } });
}

export type StoredMessage = { role: "user" | "assistant"; parts: StoredPart[] };
export type StoredPart = { type: string; text?: string; [field: string]: unknown };

/** What the model is shown of the chat up to this message, in its order: the newest, as far as there is room. */
export async function readHistory({ workspaceId, chatId, seq }: MessageDoc): Promise<StoredMessage[]> {
  const docs = collections
    .chatMessages()
    .find({ workspaceId, chatId, seq: { $lte: seq } })
    .sort({ seq: -1 })
    .batchSize(20);
  const shown: StoredMessage[] = [];
  let chars = 0;
  for await (const { role, parts } of docs) {
    const own = JSON.parse(parts) as StoredPart[];
    chars += own.reduce((sum, part) => sum + (part.type === "file" ? IMAGE_CHARS : JSON.stringify(part).length), 0);
    if (shown.length > 0 && chars > HISTORY_CHARS_MAX) break;
    if (own.length > 0) shown.push({ role, parts: own });
  }
  // It begins with somebody's question, not in the middle of an answer.
  while (shown.length > 1 && shown.at(-1)?.role === "assistant") shown.pop();
  return shown.reverse();
}

/** Whether a tool of the chat has kept this result. */
export async function hasKeptResult(
  { workspaceId, chatId }: Pick<MessageDoc, "workspaceId" | "chatId">,
  resultId: ObjectId,
): Promise<boolean> {
  const found = await collections
    .chatMessages()
    .findOne({ workspaceId, chatId, resultIds: resultId }, { projection: { _id: 1 } });
  return found !== null;
}

/** The beginning of the first message, on one line; null for an image without words. */
function titleOf(parts: UserPart[]): string | null {
  const text = parts.flatMap((part) => (part.type === "text" ? part.text : [])).join(" ");
  const line = [...text.replace(/[\s\p{C}]+/gu, " ").trim()];
  if (line.length === 0) return null;
  return line.length <= OWN_TITLE_CHARS ? line.join("") : `${line.slice(0, OWN_TITLE_CHARS).join("").trimEnd()}…`;
}
