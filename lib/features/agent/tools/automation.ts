import "server-only";
import { ObjectId } from "mongodb";
import { z } from "zod";
import { mayOnlyRead } from "@/lib/features/connections/model";
import { getConnectionDocOrThrow } from "@/lib/features/connections/service";
import { putConsoleSchedule, removeConsoleSchedule } from "@/lib/features/consoles/schedule";
import { getConsole } from "@/lib/features/consoles/service";
import { putRefreshSchedule, removeRefreshSchedule } from "@/lib/features/dashboards/refresh";
import { getDashboard } from "@/lib/features/dashboards/service";
import { getFlow, updateFlow } from "@/lib/features/flows/service";
import { recipientsOf } from "@/lib/features/notifications/channels/requests";
import { resourceType } from "@/lib/features/notifications/payload-schema";
import {
  type ChannelRequest,
  createRuleBody,
  type Rule,
  ruleSchema,
  updateRuleBody,
} from "@/lib/features/notifications/schema";
import { createRule, getRuleDocOrThrow, listRules, updateRule } from "@/lib/features/notifications/service";
import { type ScheduleBody, scheduleBody } from "@/lib/features/runs/schedules/schema";
import { type Caller, isConnectedApp } from "@/lib/platform/access/caller";
import { isAtLeast } from "@/lib/platform/access/roles";
import { AppError } from "@/lib/platform/http/errors";
import { LIST_LIMIT_MAX, objectIdText } from "@/lib/platform/http/schema";
import { BOTH, defineTool, parsed, type ToolContext } from "./tool";

/** Resources with a schedule of their runs: what a plan must cover, and how it is changed. */
const SCHEDULED = {
  console: {
    /** A console on a connection that may write repeats its writes: that takes `query-write` too. */
    requireGrants: async (context: ToolContext, consoleId: string) => {
      const { id, connectionId } = await getConsole(context.caller, new ObjectId(consoleId));
      const connection =
        connectionId === null ? null : await getConnectionDocOrThrow(context.caller, new ObjectId(connectionId));
      // First, since a client's user is asked for the other grant and can't give this one.
      if (connection && !mayOnlyRead(connection)) await context.requireGrant("query-write", { id });
      await context.requireGrant("schedule-write", { id });
    },
    put: putConsoleSchedule,
    remove: removeConsoleSchedule,
  },
  dashboard: {
    requireGrants: async (context: ToolContext, dashboardId: string) => {
      const { id } = await getDashboard(context.caller, new ObjectId(dashboardId));
      await context.requireGrant("schedule-write", { id });
    },
    put: putRefreshSchedule,
    remove: removeRefreshSchedule,
  },
  flow: {
    /** A flow with a schedule writes to its destination repeatedly: that takes `flow-write` too. */
    requireGrants: async (context: ToolContext, flowId: string) => {
      const { id } = await getFlow(context.caller, new ObjectId(flowId));
      await context.requireGrant("schedule-write", { id });
      await context.requireGrant("flow-write", { id });
    },
    put: async (caller: Caller, flowId: ObjectId, schedule: ScheduleBody) => {
      const flow = await updateFlow(caller, flowId, { schedule });
      return { nextRuns: flow.schedule?.nextRuns ?? [] };
    },
    remove: (caller: Caller, flowId: ObjectId) => updateFlow(caller, flowId, { schedule: null }),
  },
} as const;

const setScheduleTool = defineTool({
  name: "set_schedule",
  description:
    "Sets, pauses (enabled: false) or removes the schedule of a console's runs, a dashboard's refreshes or a flow's runs. Requires the grant schedule-write with the resource in the plan's targets, query-write for a console whose connection can write, and flow-write for a flow.",
  input: z.object({
    kind: z.enum(["console", "dashboard", "flow"]),
    id: objectIdText,
    schedule: scheduleBody.nullable().describe("null removes it"),
  }),
  output: z.object({ nextRuns: z.array(z.string()).describe("Empty if it is removed or disabled") }),
  writes: "schedule-write",
  scope: "build",
  isDestructive: true,
  agents: BOTH,
  run: async (context, { kind, id, schedule }) => {
    const { requireGrants, put, remove } = SCHEDULED[kind];
    await requireGrants(context, id);
    if (schedule) return { nextRuns: (await put(context.caller, new ObjectId(id), schedule)).nextRuns };
    await remove(context.caller, new ObjectId(id));
    return { nextRuns: [] };
  },
});

const ruleOf = ruleSchema.pick({ id: true, enabled: true, triggers: true, channelType: true });

const listRulesTool = defineTool({
  name: "list_rules",
  description: "Lists the notification rules of a scheduled console (scheduled_query) or a flow.",
  input: z.object({ resourceType, resourceId: objectIdText }),
  output: z.object({ rules: z.array(ruleOf) }),
  writes: null,
  agents: BOTH,
  run: async ({ caller }, resource) => {
    const { items } = await listRules(caller, resource, { limit: LIST_LIMIT_MAX });
    return { rules: items.map(({ id, enabled, triggers, channelType }) => ({ id, enabled, triggers, channelType })) };
  },
});

const saveRuleTool = defineTool({
  name: "save_rule",
  description:
    "Creates a notification rule of a console or flow, or updates the one with ruleId. Requires the grant rule-write with the console or flow in the plan's targets, and each address that it adds in the plan's effects. Only owners and admins can do this.",
  input: updateRuleBody.extend({
    ruleId: objectIdText.optional().describe("Omit it to create a rule"),
    resourceType: resourceType.optional().describe("Required for a new rule"),
    resourceId: objectIdText.optional().describe("Required for a new rule"),
  }),
  // A webhook's secret is for people: it is shown again after they rotate it.
  output: ruleOf,
  writes: "rule-write",
  scope: "build",
  isDestructive: true,
  agents: BOTH,
  run: async (context, { ruleId, ...fields }) => {
    requireRuleRight(context.caller);
    const save = async () => {
      if (ruleId === undefined) {
        const body = parsed(createRuleBody, fields);
        await requireRuleGrants(context, body, body);
        return createRule(context.caller, body);
      }
      // A person who approves the change would be shown another item.
      if (fields.resourceType !== undefined || fields.resourceId !== undefined) {
        throw new AppError("invalid_request", "A rule keeps its console or flow. Omit resourceType and resourceId.");
      }
      const body = parsed(updateRuleBody, fields);
      const { resourceType, resourceId } = await getRuleDocOrThrow(context.caller, new ObjectId(ruleId));
      await requireRuleGrants(context, { resourceType, resourceId: resourceId.toHexString() }, body);
      return updateRule(context.caller, new ObjectId(ruleId), body);
    };
    const { id, enabled, triggers, channelType } = await save();
    return { id, enabled, triggers, channelType };
  },
});

async function requireRuleGrants(
  { requireGrant }: ToolContext,
  { resourceType: kind, resourceId: id }: Pick<Rule, "resourceType" | "resourceId">,
  body: ChannelRequest,
): Promise<void> {
  await requireGrant("rule-write", { id });
  for (const recipient of recipientsOf(body)) {
    await requireGrant("rule-write", { effect: { effect: "notify", kind, id, recipient } });
  }
}

/**
 * Applies the access of the API's routes: admins, and API keys, which every route of rules accepts. A connected app has
 * only its person's rights. @throws AppError `forbidden`
 */
function requireRuleRight(caller: Caller): void {
  if (isAtLeast(caller.role, "admin") || (caller.via.kind === "key" && !isConnectedApp(caller))) return;
  throw new AppError("forbidden", "Only owners and admins can do this.");
}

export const automationTools = [setScheduleTool, listRulesTool, saveRuleTool];
