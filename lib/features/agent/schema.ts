import { z } from "zod";
import { webAddress } from "@/lib/features/notifications/channels/fields";
import { resourceType } from "@/lib/features/notifications/payload-schema";
import { emailAddress } from "@/lib/features/users/schema";
import { boundedText, isoDate, isStorable, objectIdText, trimmedText } from "@/lib/platform/http/schema";
import {
  FEEDBACK_CHARS_MAX,
  INSTRUCTIONS_CHARS_MAX,
  MESSAGE_PARTS_MAX,
  MESSAGE_TEXT_BYTES_MAX,
  MESSAGES_MAX,
  OPEN_CONSOLES_MAX,
  PLAN_CHARS_MAX,
  TITLE_CHARS_MAX,
} from "./limits";

export const AGENT_IDS = ["console", "flow"] as const;
export type AgentId = (typeof AGENT_IDS)[number];

/** Actions that the agent may take only under an approved plan (docs/develop/api.md, Agent). */
export const GRANTS = [
  "query-write",
  "console-write",
  "flow-write",
  "schedule-write",
  "metric-write",
  "dashboard-write",
  "rule-write",
  "app-write",
  "folder-write",
  "item-delete",
] as const;
export const grant = z.enum(GRANTS);
export type Grant = z.infer<typeof grant>;

/**
 * Changes that a plan names one by one, since a target would permit too much: deletions, changes of access, and where
 * notifications go.
 */
export const planEffect = z.discriminatedUnion("effect", [
  z.object({
    effect: z.literal("delete"),
    kind: z.enum(["app", "console_folder", "dashboard_folder"]),
    id: objectIdText,
    recursive: z.boolean().default(false).describe("Whether the contents of the folder are deleted too"),
  }),
  z.object({
    effect: z.literal("access"),
    kind: z.literal("app"),
    id: objectIdText.nullable().describe("null for a new app"),
    access: z.enum(["private", "workspace"]),
  }),
  z.object({
    effect: z.literal("notify"),
    kind: resourceType,
    id: objectIdText,
    recipient: z.union([emailAddress, webAddress]).describe("A new address of save_rule: an email address or URL"),
  }),
]);
export type PlanEffect = z.infer<typeof planEffect>;

/** The body's own limit is lower; only the last message's text counts. */
const PART_CHARS_MAX = 8 * 1024 * 1024;
/** Maximum length of a console's text. */
const CONTENT_CHARS_MAX = 1024 * 1024;
/** Parts that the server creates, or that the client's library adds: accepted and ignored. */
const IGNORED_PART = /^(?:reasoning|reasoning-file|step-start|dynamic-tool|tool-.{1,200})$/;
/** Images only as data in the request: a URL would be fetched by our server or by the model's provider. */
const IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

const textPart = z.looseObject({ type: z.literal("text"), text: z.string().max(PART_CHARS_MAX) });
const filePart = z.looseObject({
  type: z.literal("file"),
  mediaType: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"], "Only images are supported."),
  url: z.string().max(PART_CHARS_MAX).regex(IMAGE, "Send the image as a data: URL."),
  filename: z.string().max(255).optional(),
});
const ignoredPart = z.looseObject({
  type: z.string().regex(IGNORED_PART, "A part must be text, file (an image), reasoning or tool-<name>."),
});
const part = z
  .looseObject({ type: z.string("Part type is required.") })
  .superRefine((value, context) => {
    const schema = value.type === "text" ? textPart : value.type === "file" ? filePart : ignoredPart;
    const outcome = schema.safeParse(value);
    for (const { path, message } of outcome.error?.issues ?? []) {
      context.issues.push({ code: "custom", path: [...path], message, input: value });
    }
  })
  .meta({ reference: z.toJSONSchema(z.union([textPart, filePart, ignoredPart]), { unrepresentable: "any" }) });

const message = z.looseObject({
  id: z.string("Message ID is required.").max(200),
  role: z.enum(["user", "assistant"], "role must be user or assistant."),
  parts: z.array(part, "parts must be a list.").max(1000),
});
export type SentMessage = z.infer<typeof message>;

/** An unsaved console has a UUID of the client. */
const shownConsoleId = z.union([objectIdText, z.uuid()], "Use a console ID, or a UUID for an unsaved console.");
const openConsole = z.object({
  id: shownConsoleId,
  title: z.string().max(1000).optional(),
  content: z.string().max(CONTENT_CHARS_MAX),
  connectionId: objectIdText.nullish(),
  language: z.string().max(40).nullish(),
});

export const chatBody = z.object({
  messages: z
    .array(message)
    .min(1, "Send at least one message.")
    .max(MESSAGES_MAX)
    .superRefine((messages, context) => {
      const last = messages.at(-1);
      if (!last) return;
      const path = [messages.length - 1];
      const say = (message: string) => void context.issues.push({ code: "custom", path, message, input: last });
      if (last.role !== "user") return say("The last message must be from the user.");
      const own = userParts(last);
      if (last.parts.length > MESSAGE_PARTS_MAX) say(`At most ${MESSAGE_PARTS_MAX} parts.`);
      if (own.length === 0) say("Enter a message or add an image.");
      const bytes = own.reduce((sum, each) => sum + (each.type === "text" ? Buffer.byteLength(each.text) : 0), 0);
      if (bytes > MESSAGE_TEXT_BYTES_MAX) say(`Messages are limited to ${MESSAGE_TEXT_BYTES_MAX / 1024} KB of text.`);
      if (own.some((each) => each.type === "text" && !isStorable(each.text))) {
        say("The text contains an invalid character.");
      }
    })
    .describe("The last message must be from the user. Earlier messages are ignored"),
  chatId: objectIdText.describe("A new ID creates a chat; a known one continues it"),
  replaces: objectIdText.optional().describe("Message to replace, with its answer and all later messages"),
  workspaceId: objectIdText,
  modelId: z.string().max(200).optional().describe("ID from GET /api/agent/models. Default: the default model"),
  agentId: z.string().max(100).optional().describe("console (default) or flow"),
  openConsoles: z.array(openConsole).max(OPEN_CONSOLES_MAX).optional(),
  consoleId: shownConsoleId.nullish().describe("Console open in the browser"),
});
export type ChatBody = z.infer<typeof chatBody>;

export type TextPart = { type: "text"; text: string };
export type ImagePart = { type: "file"; mediaType: string; url: string; filename?: string };
export type UserPart = TextPart | ImagePart;

/** Returns the user's text and images from a client's message; other fields are dropped. */
export function userParts({ parts }: SentMessage): UserPart[] {
  return parts.flatMap((each): UserPart[] => {
    if (each.type === "text") {
      const text = String(each.text);
      return text.trim() === "" ? [] : [{ type: "text", text }];
    }
    if (each.type !== "file") return [];
    const { mediaType, url, filename } = each as ImagePart;
    return [{ type: "file", mediaType, url, ...(filename !== undefined && { filename }) }];
  });
}

/** `stream=ui` requests the ai SDK's names of chunks, like its header. */
export const chatQuery = z.object({ stream: z.enum(["ui"]).optional() });

export const modelsAnswer = z.object({
  models: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      provider: z.string(),
      default: z.boolean(),
      contextWindow: z.int().optional().describe("In tokens"),
    }),
  ),
});
export type ModelsAnswer = z.infer<typeof modelsAnswer>;

export const agentsAnswer = z.object({
  agents: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      default: z.boolean(),
      tools: z.array(z.string()),
    }),
  ),
});
export type AgentsAnswer = z.infer<typeof agentsAnswer>;

const title = trimmedText(TITLE_CHARS_MAX, "Title is required.").refine(
  isStorable,
  "The title contains an invalid character.",
);
export const createChatBody = z.object({ title: title.optional() }).default({});
export type CreateChatBody = z.infer<typeof createChatBody>;
export const updateChatBody = z.object({ title });

export const chatSchema = z.object({
  id: objectIdText,
  title: z.string(),
  agentId: z.string(),
  modelId: z.string(),
  messageCount: z.int().nonnegative(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Chat = z.infer<typeof chatSchema>;

export const feedbackSchema = z.object({ value: z.enum(["up", "down"]), text: z.string().nullable() });
export type Feedback = z.infer<typeof feedbackSchema>;

export const chatMessageSchema = z.object({
  id: objectIdText,
  role: z.enum(["user", "assistant"]),
  parts: z
    .array(z.looseObject({ type: z.string() }))
    .describe("Parts of the ai SDK's UI messages: text, file, reasoning, step-start, tool-<name>"),
  state: z.enum(["running", "done", "stopped", "failed"]).describe("stopped: the client disconnected; failed: error"),
  feedback: feedbackSchema.nullable(),
  createdAt: isoDate,
});
export type ChatMessage = z.infer<typeof chatMessageSchema>;

export const chatDetailSchema = chatSchema.extend({
  messages: z.array(chatMessageSchema).describe("Newest messages in order. Use X-Next-Cursor for older ones"),
});
export type ChatDetail = z.infer<typeof chatDetailSchema>;

export const feedbackBody = z.object({
  value: z.enum(["up", "down"]).nullable().describe("null removes it"),
  text: boundedText(FEEDBACK_CHARS_MAX).refine(isStorable, "The text contains an invalid character.").nullish(),
});
export type FeedbackBody = z.infer<typeof feedbackBody>;

export const instructionsBody = z.object({
  text: boundedText(INSTRUCTIONS_CHARS_MAX)
    .refine(isStorable, "The text contains an invalid character.")
    .describe("Instructions for every agent turn; empty removes them"),
});
export const instructionsSchema = z.object({
  text: z.string(),
  updatedBy: objectIdText.nullable(),
  updatedAt: isoDate.nullable().describe("null if never set"),
});
export type Instructions = z.infer<typeof instructionsSchema>;

export const planDecisionBody = z.object({
  agentSessionId: z.uuid("agentSessionId must be a UUID."),
  decision: z.enum(["approve", "request_changes", "cancel"]),
  revision: z
    .int()
    .positive()
    .optional()
    .describe("`revision` in the input of the call. The decision then applies only to this form of the plan"),
  planMarkdown: boundedText(PLAN_CHARS_MAX)
    .refine(isStorable, "The plan contains an invalid character.")
    .optional()
    .describe("Edited plan, or the requested changes"),
  grants: z
    .array(grant)
    .max(GRANTS.length * 2)
    .optional()
    .describe("Granted permissions. Default: all requested"),
});
export type PlanDecisionBody = z.infer<typeof planDecisionBody>;

export const planAnswer = z.object({
  agentSessionId: z.uuid(),
  status: z.enum(["approved", "changes_requested", "cancelled"]),
  grants: z.array(grant),
  expiresAt: isoDate.nullable().describe("Expiry of the grants, at most the end of the turn; null if none"),
});
export type PlanAnswer = z.infer<typeof planAnswer>;
