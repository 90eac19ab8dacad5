import { z } from "zod";
import { RESOURCE_TYPES, triggerType } from "@/lib/features/runs/schema";
import { emailAddress } from "@/lib/features/users/schema";
import { boundedText, isoDate, listQuery, objectIdText } from "@/lib/platform/http/schema";
import { LABEL_CHARS_MAX, RECIPIENTS_MAX, SNIPPET_CHARS_MAX, URL_CHARS_MAX } from "./limits";

/** Resources that may have rules: consoles and flows. A failed refresh of a dashboard shows on the dashboard. */
export const resourceType = z.enum(RESOURCE_TYPES).exclude(["dashboard"]);
export type RuledType = z.infer<typeof resourceType>;

export const CHANNEL_TYPES = ["email", "webhook", "chat"] as const;
export const channelType = z.enum(CHANNEL_TYPES);
export type ChannelType = z.infer<typeof channelType>;

export const trigger = z.enum(["success", "failure"]);
export type Trigger = z.infer<typeof trigger>;

const triggers = z
  .array(trigger)
  .min(1, "Choose success, failure, or both.")
  .max(10, "Each trigger once is enough.")
  .transform((given) => [...new Set(given)]);
const recipients = z
  .array(emailAddress)
  .min(1, "Name somebody who gets the mails.")
  .max(RECIPIENTS_MAX, `At most ${RECIPIENTS_MAX} addresses.`)
  .transform((given) => [...new Set(given)]);
/** An address that the egress proxy checks too, when it is saved and again at each send. */
const webAddress = z
  .string()
  .min(1, "Enter the address of the receiver.")
  .max(URL_CHARS_MAX, `At most ${URL_CHARS_MAX} characters.`)
  .describe("An http or https address that is not private");
// Line breaks would start new lines wherever the label is shown (T83).
const displayLabel = boundedText(LABEL_CHARS_MAX).regex(
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/,
  "One line without control characters.",
);

export const emailFields = { channelType: z.literal("email"), recipients };
export const webhookFields = {
  channelType: z.literal("webhook"),
  url: webAddress,
  rotateWebhookSecret: z.boolean().optional().describe("A new rule has a new secret anyway"),
};
export const chatFields = {
  channelType: z.literal("chat"),
  chatWebhookUrl: webAddress.describe("The address of the chat's incoming webhook"),
  displayLabel: displayLabel.optional(),
};

const resource = { resourceType, resourceId: objectIdText.describe("The console's or the flow's id") };
const common = { ...resource, enabled: z.boolean().default(true), triggers };

export const createRuleBody = z.discriminatedUnion("channelType", [
  z.object({ ...common, ...emailFields }),
  z.object({ ...common, ...webhookFields }),
  z.object({ ...common, ...chatFields }),
]);
export type CreateRuleBody = z.infer<typeof createRuleBody>;

/** Fields that are not sent keep their values. Another channelType requires the fields of that channel. */
export const channelChanges = {
  channelType: channelType.optional(),
  recipients: recipients.optional(),
  url: webAddress.optional(),
  rotateWebhookSecret: z.boolean().optional().describe("Makes a new signing secret; the old one ends at once"),
  chatWebhookUrl: webAddress.optional(),
  displayLabel: displayLabel.optional(),
};
export const updateRuleBody = z.object({
  enabled: z.boolean().optional(),
  triggers: triggers.optional(),
  ...channelChanges,
});
export type UpdateRuleBody = z.infer<typeof updateRuleBody>;

/** Fields of a request that describe a channel of any type. */
export type ChannelRequest = Omit<UpdateRuleBody, "enabled" | "triggers">;

/** Tests a saved rule, or an unsaved channel, which requires the same fields as a new rule. */
export const testBody = z
  .object({
    ruleId: objectIdText.optional().describe("A saved rule; then nothing else is needed"),
    trigger: trigger.default("success"),
    resourceType: resourceType.optional(),
    resourceId: objectIdText.optional(),
    channelType: channelType.optional(),
    recipients: recipients.optional(),
    url: webAddress.optional(),
    chatWebhookUrl: webAddress.optional(),
    displayLabel: displayLabel.optional(),
  })
  .refine((body) => body.ruleId !== undefined || body.channelType !== undefined, {
    path: ["ruleId"],
    message: "Name a saved rule, or a channelType with its fields.",
  })
  .refine((body) => body.ruleId !== undefined || (body.resourceType !== undefined && body.resourceId !== undefined), {
    path: ["resourceId"],
    message: "Say which console or flow the message is about: resourceType and resourceId.",
  })
  .meta({ anyOf: [{ required: ["ruleId"] }, { required: ["channelType", "resourceType", "resourceId"] }] });
export type TestBody = z.infer<typeof testBody>;
/** Result of a test. An error has a fixed text, without the receiver's response. */
export const testAnswer = z.object({
  delivered: z.boolean(),
  httpStatus: z.int().optional(),
  error: z.string().optional(),
});
export type TestAnswer = z.infer<typeof testAnswer>;

export const channelSchema = z.union([
  z.object({ recipients: z.array(z.string()) }).describe("email"),
  z
    .object({ urlPreview: z.string().describe("The host, and the end of the address"), hasSecret: z.boolean() })
    .describe("webhook"),
  z.object({ displayLabel: z.string().nullable(), configured: z.boolean() }).describe("chat"),
]);
export const ruleSchema = z.object({
  id: objectIdText,
  workspaceId: objectIdText,
  ...resource,
  enabled: z.boolean(),
  triggers: z.array(trigger),
  channelType,
  channel: channelSchema,
  createdBy: objectIdText,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Rule = z.infer<typeof ruleSchema>;

export const savedRuleSchema = ruleSchema.extend({
  signingSecretOnce: z
    .string()
    .optional()
    .describe("whsec_ and 64 hexadecimal digits: of a new webhook, and after a rotation. Shown this once"),
});
export type SavedRule = z.infer<typeof savedRuleSchema>;

export const deliveryStatus = z.enum(["queued", "retrying", "sent", "failed", "skipped"]);
export type DeliveryStatus = z.infer<typeof deliveryStatus>;

export const deliverySchema = z.object({
  id: objectIdText,
  ruleId: objectIdText.describe("The rule, or the snapshot of a dashboard"),
  runId: objectIdText.describe("Of a snapshot: its own moment's, of no run"),
  resourceType: z.enum(RESOURCE_TYPES),
  resourceId: objectIdText.describe("The console's, the flow's or the dashboard's id"),
  resourceName: z.string(),
  trigger,
  channelType,
  status: deliveryStatus.describe("skipped: the rule was deleted, disabled or changed before it was sent"),
  attempts: z.int().nonnegative().describe("How often it was sent, or tried to be"),
  httpStatus: z.int().nullable().describe("Of the last answer; null for mails, and when there was none"),
  lastError: z.string().nullable(),
  sentAt: isoDate.nullable().describe("When the receiver accepted it"),
  completedAt: isoDate.nullable().describe("When the record became final"),
  createdAt: isoDate,
});
export type Delivery = z.infer<typeof deliverySchema>;

export const attemptSchema = z.object({
  at: isoDate,
  httpStatus: z.int().nullable(),
  durationMs: z.int().nonnegative().nullable().describe("null when the server stopped before the end"),
  error: z.string().nullable().describe("null when it was accepted"),
  snippet: z.string().nullable().describe(`The first ${SNIPPET_CHARS_MAX} characters of the answer, without secrets`),
});
export type Attempt = z.infer<typeof attemptSchema>;

export const deliveryDetailsSchema = deliverySchema.extend({
  attemptLog: z.array(attemptSchema).describe("The attempts one by one, the first one first"),
});
export type DeliveryDetails = z.infer<typeof deliveryDetailsSchema>;

export const listedRuleSchema = ruleSchema.extend({
  lastDelivery: deliverySchema.nullable(),
});
export type ListedRule = z.infer<typeof listedRuleSchema>;

/** Filter for one resource: both fields are required (docs/develop/api.md, Notifications). */
export const resourceQuery = listQuery.extend(resource);
export const rulesQuery = listQuery.extend({ channelType: channelType.optional() });
export const deliveriesQuery = listQuery.extend({
  status: deliveryStatus.optional(),
  channelType: channelType.optional(),
  ruleId: objectIdText.optional(),
});

/** Payload that receivers get on every channel (docs/develop/notifications.md). Version 1. */
export const payloadSchema = z.object({
  version: z.literal(1),
  event: z.literal("flow.run.terminal"),
  trigger,
  resourceType,
  resourceId: objectIdText,
  resourceName: z.string(),
  runId: objectIdText,
  completedAt: isoDate,
  durationMs: z.int().nonnegative(),
  rowCount: z.int().nonnegative().optional(),
  errorMessage: z.string().nullable(),
  triggerType,
  workspaceId: objectIdText,
  deepLink: z.url(),
});
export type Payload = z.infer<typeof payloadSchema>;
