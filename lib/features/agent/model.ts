import type { ObjectId } from "mongodb";
import type { Chat, ChatMessage, Feedback, Grant } from "./schema";

/** One person's conversation. Nobody else sees it, whatever their role. */
export type ChatDoc = {
  /** Chosen by whoever begins the chat. */
  _id: ObjectId;
  workspaceId: ObjectId;
  ownerId: ObjectId;
  /** Made by us, so that it grows with time: what lists are ordered by. */
  order: ObjectId;
  title: string;
  /** Nobody has given it a title yet: the first message does. */
  isUntitled: boolean;
  agentId: string;
  modelId: string;
  /** Counts the messages; a message's `seq` is what it is after it. */
  messageCount: number;
  bytes: number;
  createdAt: Date;
  updatedAt: Date;
};

export type MessageState = ChatMessage["state"];

export type MessageDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  chatId: ObjectId;
  /** Its place in the chat, from 1. */
  seq: number;
  role: "user" | "assistant";
  /** As JSON: columns of results have names that mean something to a document store. */
  parts: string;
  state: MessageState;
  /** Results that its tools have kept: they may be opened by the chat's owner, and go with it. */
  resultIds: ObjectId[];
  feedback: Feedback | null;
  createdAt: Date;
  /** When its turn last said that it goes on, by the store's time; missing before it has for the first time. */
  aliveAt?: Date;
};

export type InstructionsDoc = {
  /** The workspace's id. */
  _id: ObjectId;
  workspaceId: ObjectId;
  text: string;
  updatedBy: ObjectId;
  updatedAt: Date;
};

/** What a workspace has spent on one day of UTC. */
export type UsageDoc = { _id: ObjectId; workspaceId: ObjectId; day: string; tokens: number; at: Date };

export type PlanStatus = "pending" | "approved" | "changes_requested" | "cancelled";

/** What the agent asked to be allowed, and what came of it. */
export type PlanDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  agentSessionId: string;
  chatId: ObjectId;
  userId: ObjectId;
  /** The turn that its grants are for; null between the turn that has asked and the next one. */
  turnId: ObjectId | null;
  planMarkdown: string;
  /** Asked for. */
  grants: Grant[];
  /** Ids of the objects that it changes; null for a plan that names none, absent from those of earlier versions. */
  targets?: string[] | null;
  status: PlanStatus;
  /** Given. */
  granted: Grant[];
  /** The plan as it was decided on, when that was changed. */
  decidedMarkdown: string | null;
  decidedBy: ObjectId | null;
  decidedAt: Date | null;
  expiresAt: Date | null;
  /** When its turn last said that it goes on; missing in plans of before. */
  aliveAt?: Date;
  /** The grants are over: their turn has ended. */
  endedAt: Date | null;
  createdAt: Date;
};

export function toChat(doc: ChatDoc): Chat {
  return {
    id: doc._id.toHexString(),
    title: doc.title,
    agentId: doc.agentId,
    modelId: doc.modelId,
    messageCount: doc.messageCount,
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}

/** @param isLost its turn has gone with its server: the answer is what was stored of it */
export function toChatMessage(doc: MessageDoc, isLost = false): ChatMessage {
  return {
    id: doc._id.toHexString(),
    role: doc.role,
    parts: JSON.parse(doc.parts),
    state: isLost ? "stopped" : doc.state,
    feedback: doc.feedback,
    createdAt: doc.createdAt.toISOString(),
  };
}
