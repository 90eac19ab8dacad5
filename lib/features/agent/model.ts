import type { ObjectId } from "mongodb";
import type { Work } from "@/lib/platform/work/model";
import type { Chat, ChatMessage, Feedback, Grant } from "./schema";

/** One user's chat. No one else can see it, in any role. */
export type ChatDoc = {
  /** Chosen by the client that starts the chat. */
  _id: ObjectId;
  workspaceId: ObjectId;
  ownerId: ObjectId;
  /** Created by the server, so that it grows with time; lists are sorted by it. */
  order: ObjectId;
  title: string;
  /** Whether it has no title yet: the first message sets it. */
  isUntitled: boolean;
  agentId: string;
  modelId: string;
  /** Number of messages; also the `seq` of the newest one. */
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
  /** Position in the chat, from 1. */
  seq: number;
  role: "user" | "assistant";
  /** As JSON: columns of results may have names that are special in a document store. */
  parts: string;
  state: MessageState;
  /** Results that its tools stored. The chat's owner may open them; they are deleted with the chat. */
  resultIds: ObjectId[];
  feedback: Feedback | null;
  createdAt: Date;
  /** Of an answer: held by the server that writes it. */
  work?: Work;
};

export type InstructionsDoc = {
  /** The workspace's id. */
  _id: ObjectId;
  workspaceId: ObjectId;
  text: string;
  updatedBy: ObjectId;
  updatedAt: Date;
};

/** Tokens that a workspace used on one day in UTC. */
export type UsageDoc = { _id: ObjectId; workspaceId: ObjectId; day: string; tokens: number; at: Date };

export type PlanStatus = "pending" | "approved" | "changes_requested" | "cancelled";

/** A dashboard that a plan shows. Its grant saves this content only. */
export type PlannedDashboard = {
  /** null for a new dashboard. */
  dashboardId: string | null;
  /** Fields as the model sent them, as JSON. */
  sent: string;
  /** Shown and saved fields, with all IDs and positions, as JSON. */
  fields: string;
};

/** A request of the agent for permission, and the decision on it. */
export type PlanDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  agentSessionId: string;
  /** 1, and one more with each new proposal; absent in older plans. */
  revision?: number;
  chatId: ObjectId;
  userId: ObjectId;
  /** The turn that holds its grants; null between the turn that asked and the next one. */
  turnId: ObjectId | null;
  planMarkdown: string;
  /** Requested grants. */
  grants: Grant[];
  /** Ids of the objects it changes; null for a plan that names none, absent in older plans. */
  targets?: string[] | null;
  /** Keys of the effects that it names (`toEffectKey`); absent in older plans. */
  effects?: string[];
  /** The dashboard that it shows; null for a plan that shows none, absent in older plans. */
  dashboard?: PlannedDashboard | null;
  status: PlanStatus;
  /** Approved grants. */
  granted: Grant[];
  /** The approved text of the plan, if the user edited it. */
  decidedMarkdown: string | null;
  decidedBy: ObjectId | null;
  decidedAt: Date | null;
  expiresAt: Date | null;
  /** When the turn ended, and with it the grants. */
  endedAt: Date | null;
  createdAt: Date;
};

/** A question to the person at an MCP client, and their answer. Deleted with the call that asked. */
export type McpApprovalDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  userId: ObjectId;
  sessionId: string;
  /** The call's id at the client, by which it cancels the call. */
  callId: string;
  requestId: string;
  /** null until the answer arrives. */
  isApproved: boolean | null;
  expiresAt: Date;
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

export function toChatMessage(doc: MessageDoc): ChatMessage {
  return {
    id: doc._id.toHexString(),
    role: doc.role,
    parts: JSON.parse(doc.parts),
    state: doc.state,
    feedback: doc.feedback,
    createdAt: doc.createdAt.toISOString(),
  };
}
