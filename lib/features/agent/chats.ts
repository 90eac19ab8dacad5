import "server-only";
import { Readable } from "node:stream";
import { ObjectId } from "mongodb";
import { CONTENT_TYPES } from "@/lib/features/query/schema";
import { dropResults, openResult } from "@/lib/features/results/service";
import type { Caller } from "@/lib/platform/access/caller";
import { inTransaction } from "@/lib/platform/db/transaction";
import { AppError } from "@/lib/platform/http/errors";
import { type Page, type PageRequest, readCursor, withExtra } from "@/lib/platform/http/paging";
import { getAgentOrThrow } from "./agents";
import { collections } from "./collections";
import { type ChatDoc, type MessageDoc, toChat, toChatMessage } from "./model";
import { getModelOrThrow } from "./models";
import type { Chat, ChatDetail, CreateChatBody, FeedbackBody } from "./schema";

export const UNTITLED = "New chat";
/** Maximum size of the messages in one response, in bytes: with images, two hundred messages could take a gigabyte. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** Returns the caller's chats in the workspace, newest first. @throws AppError `invalid_request` for a bad cursor */
export async function listChats(caller: Caller, { limit, cursor }: PageRequest): Promise<Page<Chat>> {
  const after = readCursor(cursor);
  const docs = await collections
    .chats()
    .find({ ...ownedBy(caller), ...(after && { order: { $lt: after } }) })
    .sort({ order: -1 })
    .limit(withExtra(limit))
    .toArray();
  const shown = docs.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(toChat), nextCursor: docs.length > limit && last ? last.order.toHexString() : null };
}

/** Creates a chat without a message. */
export async function createChat(caller: Caller, { title }: CreateChatBody): Promise<Chat> {
  const doc = newChat(caller, new ObjectId(), {
    title: title ?? UNTITLED,
    isUntitled: title === undefined,
    agentId: getAgentOrThrow().id,
    modelId: (await getModelOrThrow()).id,
  });
  await collections.chats().insertOne(doc);
  return toChat(doc);
}

export function newChat(
  { workspaceId, user }: Caller,
  _id: ObjectId,
  facts: Pick<ChatDoc, "title" | "isUntitled" | "agentId" | "modelId">,
  now = new Date(),
): ChatDoc {
  return {
    _id,
    workspaceId,
    ownerId: user._id,
    order: new ObjectId(),
    ...facts,
    messageCount: 0,
    bytes: 0,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * Returns a chat and its newest messages.
 * @param page of the messages: a cursor leads to older ones
 * @returns also the cursor to older messages, null at the start of the chat
 * @throws AppError `not_found`, the same for an unknown chat and for another user's
 */
export async function getChat(
  caller: Caller,
  chatId: ObjectId,
  { limit, cursor }: PageRequest,
): Promise<{ chat: ChatDetail; nextCursor: string | null }> {
  const chat = await getChatDocOrThrow(caller, chatId);
  const before = readCursor(cursor);
  const { workspaceId } = caller;
  const from = before && (await collections.chatMessages().findOne({ _id: before, workspaceId, chatId }));
  if (before && !from) return { chat: { ...toChat(chat), messages: [] }, nextCursor: null };
  const newest = collections
    .chatMessages()
    .find({ workspaceId, chatId, ...(from && { seq: { $lt: from.seq } }) })
    .sort({ seq: -1 })
    .limit(withExtra(limit))
    .batchSize(20);
  const shown: MessageDoc[] = [];
  let bytes = 0;
  let hasMore = false;
  for await (const doc of newest) {
    bytes += doc.parts.length;
    if (shown.length === limit || (shown.length > 0 && bytes > ANSWER_BYTES_MAX)) {
      hasMore = true;
      break;
    }
    shown.push(doc);
  }
  const oldest = shown.at(-1);
  return {
    chat: {
      ...toChat(chat),
      messages: shown.reverse().map(toChatMessage),
    },
    nextCursor: hasMore && oldest ? oldest._id.toHexString() : null,
  };
}

/** @throws AppError `not_found` */
export async function renameChat(caller: Caller, chatId: ObjectId, title: string): Promise<Chat> {
  const doc = await collections
    .chats()
    .findOneAndUpdate(
      { _id: chatId, ...ownedBy(caller) },
      { $set: { title, isUntitled: false } },
      { returnDocument: "after" },
    );
  if (!doc) throw noSuchChat();
  return toChat(doc);
}

/** Deletes a chat with its messages, its plans and its stored results. @throws AppError `not_found` */
export async function deleteChat(caller: Caller, chatId: ObjectId): Promise<void> {
  await getChatDocOrThrow(caller, chatId);
  const { workspaceId } = caller;
  const withResults = await collections
    .chatMessages()
    .find({ workspaceId, chatId, "resultIds.0": { $exists: true } }, { projection: { resultIds: 1 } })
    .toArray();
  // The results first: without the chat, they would stay until they expire.
  await dropResults(
    workspaceId,
    withResults.flatMap(({ resultIds }) => resultIds),
  );
  await inTransaction(async (session) => {
    await collections.chats().deleteOne({ _id: chatId, ...ownedBy(caller) }, { session });
    await collections.chatMessages().deleteMany({ workspaceId, chatId }, { session });
    await collections.agentPlans().deleteMany({ workspaceId, chatId }, { session });
  });
}

/**
 * Stores the caller's feedback on an answer.
 * @throws AppError `not_found` if the message is not an answer in the chat
 */
export async function putFeedback(
  caller: Caller,
  { chatId, messageId }: { chatId: ObjectId; messageId: ObjectId },
  { value, text }: FeedbackBody,
): Promise<null> {
  await getChatDocOrThrow(caller, chatId);
  const { matchedCount } = await collections
    .chatMessages()
    .updateOne(
      { _id: messageId, workspaceId: caller.workspaceId, chatId, role: "assistant" },
      { $set: { feedback: value === null ? null : { value, text: text ?? null } } },
    );
  if (matchedCount === 0) throw new AppError("not_found", "Answer not found.");
  return null;
}

/**
 * Returns a stored result of the chat in Arrow's stream format.
 * @throws AppError `not_found`, also if it has expired
 */
export async function chatResultResponse(
  caller: Caller,
  { chatId, resultId }: { chatId: ObjectId; resultId: ObjectId },
): Promise<Response> {
  await getChatDocOrThrow(caller, chatId);
  const { workspaceId } = caller;
  const message = await collections
    .chatMessages()
    .findOne({ workspaceId, chatId, resultIds: resultId }, { projection: { _id: 1 } });
  if (!message) throw new AppError("not_found", "Result not found.");
  const { parts } = await openResult(workspaceId, resultId);
  const body = Readable.toWeb(Readable.from(parts, { objectMode: false })) as ReadableStream<Uint8Array>;
  return new Response(body, { headers: { "Content-Type": CONTENT_TYPES.arrow } });
}

/** @throws AppError `not_found` */
export async function getChatDocOrThrow(caller: Caller, chatId: ObjectId): Promise<ChatDoc> {
  const doc = await collections.chats().findOne({ _id: chatId, ...ownedBy(caller) });
  if (!doc) throw noSuchChat();
  return doc;
}

/** The same error for an unknown chat, another workspace's and another member's. */
export function noSuchChat(): AppError {
  return new AppError("not_found", "Chat not found.");
}

/** Filters chats by their owner; admins cannot see them either. */
export function ownedBy({ workspaceId, user }: Caller): Pick<ChatDoc, "workspaceId" | "ownerId"> {
  return { workspaceId, ownerId: user._id };
}
