import "server-only";
import { ObjectId } from "mongodb";
import { z } from "zod";
import { getFlowRun, triggerFlow } from "@/lib/features/flows/runs";
import {
  createFlowBody,
  FLOW_MODES,
  FLOW_TYPES,
  type Flow,
  querySource,
  syncSource,
  WRITE_MODES,
} from "@/lib/features/flows/schema";
import { createFlow, getFlow, listFlows } from "@/lib/features/flows/service";
import { idCursor, objectIdText } from "@/lib/platform/http/schema";
import { shortText } from "./short";
import { defineTool, parsed } from "./tool";

const FLOWS_MAX = 100;
const LOG_LINES_SHOWN = 40;
const LOG_LINE_CHARS_MAX = 300;
/** Maximum length of a flow's query in a list: enough to show what it is about. */
const LISTED_QUERY_CHARS_MAX = 300;
const QUERY_CHARS_MAX = 8000;

const run = z.looseObject({ id: z.string(), status: z.string() });
const flow = z.looseObject({ id: z.string(), name: z.string(), type: z.string(), status: z.string() });
const FLOW = ["flow"] as const;

const listFlowsTool = defineTool({
  name: "list_flows",
  description: "Lists the workspace's flows with source, destination and last run.",
  input: z.object({ cursor: idCursor.optional(), limit: z.int().min(1).max(FLOWS_MAX).optional() }),
  output: z.object({ flows: z.array(flow), nextCursor: z.string().nullable() }),
  writes: null,
  agents: FLOW,
  run: async ({ caller }, { cursor, limit = 20 }) => {
    const { items, nextCursor } = await listFlows(caller, { limit, ...(cursor !== undefined && { cursor }) });
    return { flows: items.map((each) => withShortQuery(each, LISTED_QUERY_CHARS_MAX)), nextCursor };
  },
});

const getFlowTool = defineTool({
  name: "get_flow",
  description: "Reads a flow: its source, destination, schedule, checkpoint and last runs.",
  input: z.object({ flowId: objectIdText }),
  output: z.object({ flow }),
  writes: null,
  agents: FLOW,
  run: async ({ caller }, { flowId }) => ({
    flow: withShortQuery(await getFlow(caller, new ObjectId(flowId)), QUERY_CHARS_MAX),
  }),
});

const getRunTool = defineTool({
  name: "get_run",
  description: "Reads a flow run: its state, counts, error and the end of its log.",
  input: z.object({ flowId: objectIdText, runId: objectIdText }),
  output: z.object({ run }),
  writes: null,
  agents: FLOW,
  run: async ({ caller }, { flowId, runId }) => {
    const found = await getFlowRun(caller, new ObjectId(flowId), new ObjectId(runId));
    const logs = found.logs.slice(-LOG_LINES_SHOWN);
    return {
      run: { ...found, logs: logs.map((line) => ({ ...line, text: shortText(line.text, LOG_LINE_CHARS_MAX) })) },
    };
  },
});

const createFlowTool = defineTool({
  name: "create_flow",
  description:
    "Creates a flow and, with trigger, runs it. Requires the grant flow-write, schedule-write for a schedule, and the destination in the plan's targets.",
  input: z.object({
    name: z.string().min(1).max(80),
    type: z.enum(FLOW_TYPES),
    source: z.union([syncSource, querySource]).optional().describe("Omit it for a webhook flow"),
    destination: z.object({
      connectionId: objectIdText,
      schema: z.string().optional(),
      table: z.string().optional(),
      write: z.enum(WRITE_MODES),
    }),
    mode: z.enum(FLOW_MODES).optional(),
    schedule: z
      .object({
        cron: z.string().describe("Cron expression of five fields"),
        timezone: z.string(),
        enabled: z.boolean().optional(),
      })
      .optional(),
    trigger: z.boolean().optional().describe("Run it immediately. Default: false"),
  }),
  output: z.object({ flow, run: run.nullable() }),
  writes: "flow-write",
  scope: "build",
  agents: FLOW,
  run: async (context, input) => {
    const body = parsed(createFlowBody, { ...input, trigger: input.trigger ?? false });
    const destination = { id: input.destination.connectionId };
    await context.requireGrant("flow-write", destination);
    if (input.schedule) await context.requireGrant("schedule-write", destination);
    return createFlow(context.caller, body);
  },
});

const triggerFlowTool = defineTool({
  name: "trigger_flow",
  description: "Runs a saved flow now. Requires the grant flow-write and the flow in the plan's targets.",
  input: z.object({ flowId: objectIdText }),
  output: z.object({ flow, run: run.nullable() }),
  writes: "flow-write",
  isDestructive: true,
  agents: FLOW,
  run: async (context, { flowId }) => {
    await context.requireGrant("flow-write", { id: flowId });
    return triggerFlow(context.caller, { flowId });
  },
});

export const flowTools = [listFlowsTool, getFlowTool, createFlowTool, triggerFlowTool, getRunTool];

function withShortQuery<F extends Pick<Flow, "source">>(flow: F, charsMax: number): F {
  const { source } = flow;
  if (!source || !("query" in source)) return flow;
  return { ...flow, source: { ...source, query: shortText(source.query, charsMax) } };
}
