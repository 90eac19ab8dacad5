import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { ADDRESS_REFUSALS, RULE_WORDS } from "@/lib/features/notifications/reference";
import { createRuleBody, resourceQuery, ruleSchema, savedRuleSchema } from "@/lib/features/notifications/schema";
import { createRule, listRules } from "@/lib/features/notifications/service";
import { admin, member, orAnyKey } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { asArray } from "@/lib/platform/http/paging";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List notification rules of a console or flow",
    description: "Returns rules oldest first. Readable by all members; secrets and addresses are never returned.",
    tag: "Notifications",
    access: member,
    params,
    query: resourceQuery,
    response: z.array(ruleSchema),
    failures: ["not_found"],
    handle: async ({ query, caller, headers }) => asArray(headers, await listRules(caller, query, query)),
  }),
  POST: route({
    summary: "Create a notification rule",
    description: RULE_WORDS,
    tag: "Notifications",
    access: orAnyKey(admin),
    params,
    body: createRuleBody,
    response: savedRuleSchema,
    status: 201,
    failures: ["not_found", "address_refused", "conflict"],
    refuses: ADDRESS_REFUSALS,
    message: "Notification rule created",
    handle: ({ body, caller }) => createRule(caller, body),
  }),
});
