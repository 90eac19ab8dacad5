import "server-only";
import { ObjectId } from "mongodb";
import { dropResults } from "@/lib/features/results/service";
import type { Caller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { inTransaction } from "@/lib/platform/db/transaction";
import { AppError } from "@/lib/platform/http/errors";
import { DurableWork, NOTHING_DUE } from "@/lib/platform/work/durable-work";
import type { Claim } from "@/lib/platform/work/heartbeat";
import { LEASE_MS } from "@/lib/platform/work/limits";
import { newWork } from "@/lib/platform/work/model";
import { newChat, noSuchChat, ownedBy, UNTITLED } from "./chats";
import { collections } from "./collections";
import { CHAT_BYTES_MAX, CHAT_MESSAGES_MAX, HISTORY_CHARS_MAX, IMAGE_CHARS, OWN_TITLE_CHARS } from "./limits";
import type { ChatDoc, MessageDoc, MessageState } from "./model";
import type { UserPart } from "./schema";

export const answerWork = new DurableWork(collections.chatMessages);

/** The two messages of a turn: the user's message, and the answer that this server is writing. */
export type TurnMessages = { user: MessageDoc; answer: MessageDoc; isNewChat: boolean };

/** @throws AppError `not_found` for another user's chat, in any workspace */
export async function refuseForeignChat({ workspaceId, user }: Caller, chatId: ObjectId): Promise<void> {
  const doc = await collections.chats().findOne({ _id: chatId }, { projection: { workspaceId: 1, ownerId: 1 } });
  if (doc && !(doc.workspaceId.equals(workspaceId) && doc.ownerId.equals(user._id))) throw noSuchChat();
}

type Session = Parameters<Parameters<typeof inTransaction>[0]>[0];

/**
 * Appends the user's message and an empty answer; creates the chat if it does not exist. If several users create one
 * chat at once, one of them gets the id. The others get the error for another user's chat (T62).
 * @param replaces a message of the chat that this one replaces, or null
 * @throws AppError `not_found` for another user's chat, and for a message to replace that is not in it; `conflict` for
 *   a chat that is full
 */
export async function beginTurn(
  caller: Caller,
  { chatId, replaces }: { chatId: ObjectId; replaces: ObjectId | null },
  parts: UserPart[],
  facts: Pick<ChatDoc, "agentId" | "modelId">,
): Promise<{ messages: TurnMessages; claim: Claim }> {
  for (;;) {
    try {
      const { messages, orphans } = await inTransaction((session) => append(session));
      const { _id, workspaceId } = messages.answer;
      const held = await answerWork.claim({ _id, workspaceId });
      if (!held) throw noSuchMessage();
      // If the server crashes here, they expire.
      await dropResults(caller.workspaceId, orphans);
      return { messages, claim: held.claim };
    } catch (error) {
      // Another request created it at the same moment, maybe the same user's. It exists now.
      if (!isDuplicateKey(error)) throw error;
    }
  }

  async function append(session: Session): Promise<{ messages: TurnMessages; orphans: ObjectId[] }> {
    const now = new Date();
    const text = JSON.stringify(parts);
    const title = titleOf(parts);
    const before = await collections.chats().findOne({ _id: chatId }, { session });
    if (before && !(before.workspaceId.equals(caller.workspaceId) && before.ownerId.equals(caller.user._id))) {
      throw noSuchChat();
    }
    if (!before && replaces) throw noSuchMessage();
    const gone = before && replaces ? await takeBack(before, replaces, session) : NOTHING_TAKEN;
    const count = (before?.messageCount ?? 0) - gone.count + 2;
    const bytes = (before?.bytes ?? 0) - gone.bytes + text.length;
    if (before && (count > CHAT_MESSAGES_MAX || bytes > CHAT_BYTES_MAX)) {
      throw new AppError("conflict", "This chat is full. Start a new one.");
    }
    if (before) {
      const isOwnTitle = before.isUntitled || (count === 2 && gone.title !== null && gone.title === before.title);
      await collections.chats().updateOne(
        { _id: chatId, ...ownedBy(caller) },
        {
          $set: { ...facts, updatedAt: now, ...(isOwnTitle && title && { title, isUntitled: false }) },
          $inc: { messageCount: 2 - gone.count, bytes: text.length - gone.bytes },
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
    // Due if this server dies before its claim.
    const work = newWork(new Date(now.getTime() + LEASE_MS));
    const answer = { ...of(count, "assistant", "[]", "running"), work };
    await collections.chatMessages().insertMany([user, answer], { session });
    return { messages: { user, answer, isNewChat: !before }, orphans: gone.resultIds };
  }
}

/** Messages removed from a chat. `title`: the title that its first message gave it, if that message was removed. */
type Taken = { count: number; bytes: number; title: string | null; resultIds: ObjectId[] };
const NOTHING_TAKEN: Taken = { count: 0, bytes: 0, title: null, resultIds: [] };

/**
 * Removes a turn and all later ones from a chat: messages, and the grants of its plans. An answer of them that is still
 * running saves nothing any more.
 * @param messageId the user's message or its answer
 */
async function takeBack({ workspaceId, _id: chatId }: ChatDoc, messageId: ObjectId, session: Session): Promise<Taken> {
  const named = await collections
    .chatMessages()
    .findOne({ _id: messageId, workspaceId, chatId }, { projection: { seq: 1, role: 1, createdAt: 1 }, session });
  if (!named) throw noSuchMessage();
  const from = named.role === "assistant" ? named.seq - 1 : named.seq;
  const following = { workspaceId, chatId, seq: { $gte: from } };
  const taken: Taken = { count: 0, bytes: 0, title: null, resultIds: [] };
  const docs = collections.chatMessages().find(following, { session }).sort({ seq: 1 }).batchSize(20);
  for await (const { seq, parts, resultIds } of docs) {
    if (seq === 1) taken.title = titleOf(JSON.parse(parts) as UserPart[]);
    taken.count += 1;
    taken.bytes += parts.length;
    taken.resultIds.push(...resultIds);
  }
  await collections.chatMessages().deleteMany(following, { session });
  const open = { workspaceId, chatId, createdAt: { $gte: named.createdAt }, endedAt: null };
  const endedAt = new Date();
  await collections
    .agentPlans()
    .updateMany({ ...open, status: "pending" }, { $set: { status: "cancelled", endedAt } }, { session });
  await collections.agentPlans().updateMany(open, { $set: { endedAt } }, { session });
  return taken;
}

function noSuchMessage(): AppError {
  return new AppError("not_found", "Message not found.");
}

/** Stores the current state of an answer, while its server holds it. With its end, the claim ends. */
export async function saveAnswer(
  answer: MessageDoc,
  claim: Claim,
  parts: string,
  state: MessageState,
  resultIds: ObjectId[],
): Promise<void> {
  const { workspaceId, chatId } = answer;
  const grown = parts.length - answer.parts.length;
  answer.parts = parts;
  const isOver = state !== "running";
  const { matchedCount } = await collections
    .chatMessages()
    .updateOne(claim.held, [
      { $set: { parts: { $literal: parts }, state, resultIds: { $literal: resultIds } } },
      ...(isOver ? [NOTHING_DUE] : []),
    ]);
  if (isOver) claim.drop();
  // The answer was deleted in the meantime, or has ended.
  if (matchedCount === 0) return;
  await collections
    .chats()
    .updateOne({ _id: chatId, workspaceId }, { $inc: { bytes: grown }, $set: { updatedAt: new Date() } });
}

export type StoredMessage = { role: "user" | "assistant"; parts: StoredPart[] };
export type StoredPart = { type: string; text?: string; [field: string]: unknown };

/** Returns the chat's messages for the model, up to this one and in order: the newest ones that fit. */
export async function readHistory(last: MessageDoc): Promise<StoredMessage[]> {
  const { workspaceId, chatId, seq } = last;
  if (seq === 1) return [{ role: last.role, parts: JSON.parse(last.parts) }];
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
  // It starts with a user's question, not in the middle of an answer.
  while (shown.length > 1 && shown.at(-1)?.role === "assistant") shown.pop();
  return shown.reverse();
}

/** Whether a tool of the chat stored this result. */
export async function hasKeptResult(
  { workspaceId, chatId }: Pick<MessageDoc, "workspaceId" | "chatId">,
  resultId: ObjectId,
): Promise<boolean> {
  const found = await collections
    .chatMessages()
    .findOne({ workspaceId, chatId, resultIds: resultId }, { projection: { _id: 1 } });
  return found !== null;
}

/** Returns the start of the first message in one line; null for an image without text. */
function titleOf(parts: UserPart[]): string | null {
  const text = parts.flatMap((part) => (part.type === "text" ? part.text : [])).join(" ");
  const line = [...text.replace(/[\s\p{C}]+/gu, " ").trim()];
  if (line.length === 0) return null;
  return line.length <= OWN_TITLE_CHARS ? line.join("") : `${line.slice(0, OWN_TITLE_CHARS).join("").trimEnd()}…`;
}
