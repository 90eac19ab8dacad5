import "server-only";
import { z } from "zod";
import { planMetrics } from "@/lib/features/metrics/query";
import { metricName, metricQueryBody, putMetricBody } from "@/lib/features/metrics/schema";
import { checkMetric, findMetricId, getMetric, listMetrics, putMetric } from "@/lib/features/metrics/service";
import { idCursor } from "@/lib/platform/http/schema";
import { MODEL_ROWS_MAX } from "../limits";
import { queryAnswer, runAsReader } from "./queries";
import { shownContent } from "./short";
import { BOTH, defineTool } from "./tool";

const FILES_MAX = 50;
const FILES_DEFAULT = 20;
/** Metrics and dimensions of one file that a list shows; read_metric returns the whole text. */
const NAMES_MAX = 60;

const listMetricsTool = defineTool({
  name: "list_metrics",
  description:
    "Lists the workspace's metric files with their metrics and dimensions. A metric is the team's definition of a figure, such as revenue: prefer it to another query.",
  input: z.object({ cursor: idCursor.optional(), limit: z.int().min(1).max(FILES_MAX).optional() }),
  output: z.object({
    files: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        metrics: z.array(z.string()),
        dimensions: z.array(z.string()),
        error: z.string().nullable().describe("Why the file can't be queried"),
        truncated: z.boolean().describe("The file has more names"),
      }),
    ),
    nextCursor: z.string().nullable(),
  }),
  writes: null,
  agents: BOTH,
  run: async ({ caller }, { cursor, limit = FILES_DEFAULT }) => {
    const { items, nextCursor } = await listMetrics(caller, { limit, ...(cursor !== undefined && { cursor }) });
    return {
      files: items.map(({ name, title, description, metrics, dimensions, error }) => ({
        name,
        description: description || title,
        metrics: metrics.slice(0, NAMES_MAX),
        dimensions: dimensions.slice(0, NAMES_MAX),
        error,
        truncated: metrics.length > NAMES_MAX || dimensions.length > NAMES_MAX,
      })),
      nextCursor,
    };
  },
});

const readMetricTool = defineTool({
  name: "read_metric",
  description: "Reads a metric file: its definitions as YAML in Ossie's core format, and its version.",
  input: z.object({ name: metricName }),
  output: z.object({
    name: z.string(),
    id: z.string(),
    version: z.int(),
    content: z.string(),
    truncated: z.boolean().describe("The text is truncated. Do not save it back"),
    error: z.string().nullable(),
  }),
  writes: null,
  agents: BOTH,
  run: async ({ caller }, { name }) => {
    const { id, version, content, error } = await getMetric(caller, name);
    return { name, id, version, error, ...shownContent(content) };
  },
});

const queryMetricsTool = defineTool({
  name: "query_metrics",
  description:
    "Answers a question about metrics: values by dimensions, filtered and over a period. Joins never count a row twice. Use `time` with a grain for a trend.",
  input: metricQueryBody
    .pick({
      metrics: true,
      dimensions: true,
      filters: true,
      from: true,
      to: true,
      timezone: true,
      compare: true,
      orderBy: true,
    })
    .extend({ limit: z.int().min(1).max(MODEL_ROWS_MAX).optional() }),
  output: queryAnswer.extend({ sql: z.string() }),
  writes: null,
  agents: BOTH,
  run: async (context, input) => {
    const { limit = MODEL_ROWS_MAX } = input;
    // One row more tells whether there are others.
    const { sql, connectionId } = await planMetrics(context.caller, { ...input, limit: limit + 1 });
    return { ...(await runAsReader(context, { connectionId, query: sql, limit })), sql };
  },
});

const saveMetricTool = defineTool({
  name: "save_metric",
  description:
    "Saves a metric file as a commit: a new one, or the one with the version that you have read. Requires the grant metric-write and, for an existing file, its ID in the plan's targets. Show the changed lines in the plan.",
  input: z.object({
    name: metricName,
    content: putMetricBody.shape.content,
    version: z.int().min(1).optional().describe("The version that you have read. Omit it for a new file"),
  }),
  output: z.object({ id: z.string(), version: z.int() }),
  writes: "metric-write",
  isDestructive: true,
  agents: BOTH,
  run: async (context, { name, content, version = 0 }) => {
    // A client's user is asked about nothing that would fail.
    if (context.chat === null) await checkMetric(context.caller, name, { content, version });
    const existing = await findMetricId(context.caller, name);
    await context.requireGrant("metric-write", ...(existing === null ? [] : [{ id: existing }]));
    const saved = await putMetric(context.caller, name, { content, version });
    return { id: saved.id, version: saved.version };
  },
});

export const metricTools = [listMetricsTool, readMetricTool, queryMetricsTool, saveMetricTool];
