import { z } from "zod";
import { RESOURCE_TYPES } from "@/lib/features/runs/schema";
import { isoDate, listQuery, objectIdText } from "@/lib/platform/http/schema";
import { CHANNEL_TYPES, channelBodies, channelFields, channelOptions, shownChannels } from "./channels/requests";
import { SNIPPET_CHARS_MAX } from "./limits";
import { resourceType, trigger } from "./payload-schema";

export const channelType = z.enum(CHANNEL_TYPES);

const triggers = z
  .array(trigger)
  .min(1, "triggers must be success, failure or both.")
  .max(10, "Duplicate trigger.")
  .transform((given) => [...new Set(given)]);

const resource = { resourceType, resourceId: objectIdText.describe("ID of the console or flow") };
const common = { ...resource, enabled: z.boolean().default(true), triggers };

export const createRuleBody = z.discriminatedUnion("channelType", channelBodies(common));
export type CreateRuleBody = z.infer<typeof createRuleBody>;

/** Fields that are not sent keep their values. Another channelType requires the fields of that channel. */
export const channelChanges = { channelType: channelType.optional(), ...channelFields, ...channelOptions };
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
    ...channelFields,
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

export const channelSchema = z.union(shownChannels);
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
