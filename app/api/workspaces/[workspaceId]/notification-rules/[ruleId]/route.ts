import { route } from "@/lib/features/accounts/route";
import { ADDRESS_REFUSALS, CHANNEL_REFUSALS } from "@/lib/features/notifications/reference";
import { savedRuleSchema, updateRuleBody } from "@/lib/features/notifications/schema";
import { deleteRule, updateRule } from "@/lib/features/notifications/service";
import { admin, orAnyKey } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId", "ruleId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  PATCH: route({
    summary: "Change a notification rule",
    description:
      "What is not sent stays. Another channelType needs what that channel needs; a rule that becomes a webhook shows its secret once. `{rotateWebhookSecret: true}` alone makes a new secret, with which what is queued already is signed too.",
    tag: "Notifications",
    access: orAnyKey(admin),
    params,
    body: updateRuleBody,
    response: savedRuleSchema,
    failures: ["not_found", "address_refused", "conflict"],
    refuses: { ...ADDRESS_REFUSALS, ...CHANNEL_REFUSALS },
    message: "Notification rule saved",
    handle: ({ params, body, caller }) => updateRule(caller, params.ruleId, body),
  }),
  DELETE: route({
    summary: "Delete a notification rule",
    description: "What it has queued is not sent any more. Its deliveries can be read for 30 days.",
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
