import { z } from "zod";
import { RESOURCE_TYPES } from "@/lib/features/runs/schema";
import { emailAddress } from "@/lib/features/users/schema";
import { boundedText, isoDate, listQuery, objectIdText } from "@/lib/platform/http/schema";
import { LABEL_CHARS_MAX, RECIPIENTS_MAX, SNIPPET_CHARS_MAX, URL_CHARS_MAX } from "./limits";
import { resourceType, trigger } from "./payload-schema";

export const CHANNEL_TYPES = ["email", "webhook", "chat"] as const;
export const channelType = z.enum(CHANNEL_TYPES);
export type ChannelType = z.infer<typeof channelType>;

const triggers = z
  .array(trigger)
  .min(1, "triggers must be success, failure or both.")
  .max(10, "Duplicate trigger.")
  .transform((given) => [...new Set(given)]);
const recipients = z
  .array(emailAddress)
  .min(1, "Enter at least one recipient.")
  .max(RECIPIENTS_MAX, `At most ${RECIPIENTS_MAX} addresses.`)
  .transform((given) => [...new Set(given)]);
/** An address that the egress proxy checks too, when it is saved and again at each send. */
const webAddress = z
  .string()
  .min(1, "Enter the receiver's URL.")
  .max(URL_CHARS_MAX, `At most ${URL_CHARS_MAX} characters.`)
  .describe("A public http or https URL");
// Line breaks would start new lines wherever the label is shown (T83).
const displayLabel = boundedText(LABEL_CHARS_MAX).regex(
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/,
  "Must be one line without control characters.",
);

export const emailFields = { channelType: z.literal("email"), recipients };
export const webhookFields = {
  channelType: z.literal("webhook"),
  url: webAddress,
  rotateWebhookSecret: z.boolean().optional().describe("New rules always get a new secret"),
};
export const chatFields = {
  channelType: z.literal("chat"),
  chatWebhookUrl: webAddress.describe("Incoming webhook URL of the chat"),
  displayLabel: displayLabel.optional(),
};

const resource = { resourceType, resourceId: objectIdText.describe("ID of the console or flow") };
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
  rotateWebhookSecret: z
    .boolean()
    .optional()
    .describe("Rotates the signing secret; the old one stops working immediately"),
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
    ruleId: objectIdText.optional().describe("ID of a saved rule; replaces all other fields"),
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
    message: "Send ruleId, or channelType with its fields.",
  })
  .refine((body) => body.ruleId !== undefined || (body.resourceType !== undefined && body.resourceId !== undefined), {
    path: ["resourceId"],
    message: "resourceType and resourceId are required.",
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
    .object({ urlPreview: z.string().describe("Host and last characters of the URL"), hasSecret: z.boolean() })
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
    .describe("whsec_ and 64 hexadecimal digits. Returned once, on creation and rotation"),
});
export type SavedRule = z.infer<typeof savedRuleSchema>;

export const deliveryStatus = z.enum(["queued", "retrying", "sent", "failed", "skipped"]);
export type DeliveryStatus = z.infer<typeof deliveryStatus>;

export const deliverySchema = z.object({
  id: objectIdText,
  ruleId: objectIdText.describe("Rule, or snapshot of a dashboard"),
  runId: objectIdText.describe("For snapshots: the send time's ID, not a run"),
  resourceType: z.enum(RESOURCE_TYPES),
  resourceId: objectIdText.describe("ID of the console, flow or dashboard"),
  resourceName: z.string(),
  trigger,
  channelType,
  status: deliveryStatus.describe("skipped: the rule was deleted, disabled or changed before delivery"),
  attempts: z.int().nonnegative().describe("Number of attempts"),
  httpStatus: z.int().nullable().describe("Status of the last response; null for emails and timeouts"),
  lastError: z.string().nullable(),
  sentAt: isoDate.nullable().describe("Time of acceptance by the receiver"),
  completedAt: isoDate.nullable().describe("Time of the final state"),
  createdAt: isoDate,
});
export type Delivery = z.infer<typeof deliverySchema>;

export const attemptSchema = z.object({
  at: isoDate,
  httpStatus: z.int().nullable(),
  durationMs: z.int().nonnegative().nullable().describe("null if the server stopped during the attempt"),
  error: z.string().nullable().describe("null if accepted"),
  snippet: z
    .string()
    .nullable()
    .describe(`First ${SNIPPET_CHARS_MAX} characters of the response, with secrets removed`),
});
export type Attempt = z.infer<typeof attemptSchema>;

export const deliveryDetailsSchema = deliverySchema.extend({
  attemptLog: z.array(attemptSchema).describe("Attempts, oldest first"),
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
