import { route } from "@/lib/features/accounts/route";
import { CHANNEL_REFUSALS } from "@/lib/features/notifications/reference";
import { savedRuleSchema, updateRuleBody } from "@/lib/features/notifications/schema";
import { deleteRule, updateRule } from "@/lib/features/notifications/service";
import { admin, orAnyKey } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId", "ruleId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  PATCH: route({
    summary: "Update a notification rule",
    description:
      "Updates only the fields you send. A new channelType requires that channel's fields; a new webhook returns its secret once. `{rotateWebhookSecret: true}` rotates the secret, also for queued deliveries.",
    tag: "Notifications",
    access: orAnyKey(admin),
    params,
    body: updateRuleBody,
    response: savedRuleSchema,
    failures: ["not_found", "address_refused", "conflict"],
    refuses: CHANNEL_REFUSALS,
    message: "Notification rule saved",
    handle: ({ params, body, caller }) => updateRule(caller, params.ruleId, body),
  }),
  DELETE: route({
    summary: "Delete a notification rule",
    description: "Cancels queued deliveries. Past deliveries are kept for 30 days.",
    tag: "Notifications",
    access: orAnyKey(admin),
    params,
    failures: ["not_found"],
    message: "Notification rule deleted",
    handle: async ({ params, caller }) => {
      await deleteRule(caller, params.ruleId);
      return null;
    },
  }),
});
