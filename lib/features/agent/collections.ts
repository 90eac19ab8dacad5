import "server-only";
import { DAY_SECONDS, declareCollection } from "@/lib/platform/db/collection";
import { workIndex } from "@/lib/platform/work/model";
import type { ChatDoc, InstructionsDoc, McpApprovalDoc, MessageDoc, PlanDoc, UsageDoc } from "./model";

/** Retention of usage, in days: longer than the counted day, for reports of past usage. */
const USAGE_DAYS = 35;

export const collections = {
  chats: declareCollection<ChatDoc>("chats", {
    isOfWorkspace: true,
    indexes: [{ key: { workspaceId: 1, ownerId: 1, order: -1 }, serves: "a member's chats, newest first" }],
  }),
  chatMessages: declareCollection<MessageDoc>("chat_messages", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, chatId: 1, seq: 1 }, unique: true, serves: "the messages of a chat, in order" },
      workIndex("unfinished answers of dead servers"),
    ],
  }),
  agentInstructions: declareCollection<InstructionsDoc>("agent_instructions", {
    isOfWorkspace: true,
    indexes: [],
  }),
  agentUsage: declareCollection<UsageDoc>("agent_usage", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, day: 1 }, unique: true, serves: "tokens of a workspace per day" },
      { key: { at: 1 }, expireAfterSeconds: USAGE_DAYS * DAY_SECONDS, serves: "expiry of token counts" },
    ],
  }),
  agentPlans: declareCollection<PlanDoc>("agent_plans", {
    isOfWorkspace: true,
    indexes: [
      { key: { agentSessionId: 1 }, unique: true, serves: "look-up of a plan for its decision" },
      { key: { workspaceId: 1, chatId: 1, turnId: 1 }, serves: "the grants of a turn, and plans decided after it" },
    ],
  }),
  mcpApprovals: declareCollection<McpApprovalDoc>("mcp_approvals", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, requestId: 1 }, unique: true, serves: "the question that an answer belongs to" },
      { key: { workspaceId: 1, userId: 1 }, serves: "number of a person's open questions" },
      { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "expiry of questions of stopped servers" },
    ],
  }),
};
