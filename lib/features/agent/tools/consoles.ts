import "server-only";
import { ObjectId } from "mongodb";
import { z } from "zod";
import { findSpecProblems } from "@/lib/base/charts/spec-rules";
import { mayOnlyRead } from "@/lib/features/connections/model";
import { getConnectionDocOrThrow } from "@/lib/features/connections/service";
import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { RESOURCE_TYPE } from "@/lib/features/consoles/run-status";
import { createConsoleBody, type UpdateConsoleBody, updateConsoleBody } from "@/lib/features/consoles/schema";
import { searchConsoles } from "@/lib/features/consoles/search";
import { createConsole, getConsole, updateConsole } from "@/lib/features/consoles/service";
import { accessOf } from "@/lib/features/folders/model";
import { getFolderOrThrow, stale } from "@/lib/features/folders/placement";
import { schedulesOf } from "@/lib/features/runs/schedules/service";
import { AppError } from "@/lib/platform/http/errors";
import { objectIdText } from "@/lib/platform/http/schema";
import { query, queryInput } from "./queries";
import { shownContent } from "./short";
import { BOTH, defineTool, parsed, requireMayShare, type ToolContext } from "./tool";

const HITS_MAX = 50;
const HITS_DEFAULT = 20;
const SPEC_CHARS_MAX = 64 * 1024;

const searchConsolesTool = defineTool({
  name: "search_consoles",
  description: "Searches saved consoles (queries) of the person and the workspace by path and text.",
  input: z.object({ query: z.string().trim().min(1).max(200), limit: z.int().min(1).max(HITS_MAX).optional() }),
  output: z.object({
    consoles: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        path: z.string(),
        connectionId: z.string().nullable(),
        language: z.string(),
        excerpt: z.string().nullable(),
      }),
    ),
    isIncomplete: z.boolean().describe("The search ended early. Use rarer words for the other consoles"),
  }),
  writes: null,
  agents: BOTH,
  run: async ({ caller }, { query: words, limit = HITS_DEFAULT }) => {
    const { hits, isIncomplete } = await searchConsoles(caller, words);
    return {
      isIncomplete,
      consoles: hits.slice(0, limit).map(({ id, name, path, connectionId, language, snippet }) => ({
        id,
        name,
        path,
        connectionId,
        language,
        excerpt: snippet?.text ?? null,
      })),
    };
  },
});

const readConsoleTool = defineTool({
  name: "read_console",
  description:
    "Reads a saved console: its text, its connection, its version, and the default values of its {{name}} variables. run_query runs the text with variables.",
  input: z.object({ consoleId: objectIdText }),
  output: z.object({
    id: z.string(),
    name: z.string(),
    path: z.string(),
    connectionId: z.string().nullable(),
    language: z.string(),
    content: z.string(),
    truncated: z.boolean().describe("The text is truncated. Do not save it back"),
    variables: z.record(z.string(), z.unknown()).describe("Default values"),
    version: z.int(),
  }),
  writes: null,
  agents: BOTH,
  run: async ({ caller }, { consoleId }) => {
    const { content, id, name, path, connectionId, language, variables, version } = await getConsole(
      caller,
      new ObjectId(consoleId),
    );
    return { id, name, path, connectionId, language, variables, version, ...shownContent(content) };
  },
});

const saveConsoleTool = defineTool({
  name: "save_console",
  description:
    "Creates a console with a name, or updates the one with consoleId and the version that you have read. Requires the grant console-write and, in the plan's targets, the ID of an updated console, or of a shared folder for a new one. A scheduled console also requires schedule-write, and query-write if its connection can write.",
  input: z.object({
    consoleId: objectIdText.optional().describe("Omit it to create a console"),
    name: z.string().max(120).optional().describe("Required for a new console"),
    content: z.string().max(1024 * 1024),
    version: z.int().optional().describe("The version that you have read. Required with consoleId"),
    connectionId: objectIdText.optional(),
    folderId: objectIdText.optional(),
    variables: z.record(z.string(), z.unknown()).optional().describe("Default values; replaces all"),
  }),
  output: z.object({ id: z.string(), version: z.int() }),
  writes: "console-write",
  isDestructive: true,
  agents: BOTH,
  run: async (context, { consoleId, ...fields }) => {
    if (consoleId === undefined) {
      const body = parsed(createConsoleBody, fields);
      await requireFolder(context, body.folderId ?? null);
      await context.requireGrant("console-write");
      const { id, version } = await createConsole(context.caller, body);
      return { id, version };
    }
    if (fields.version === undefined) {
      throw new AppError("invalid_request", "version is required. Read the console first.");
    }
    const body = parsed(updateConsoleBody, fields);
    await requireGrantsToChange(context, consoleId, body);
    const saved = await updateConsole(context.caller, new ObjectId(consoleId), body);
    return { id: saved.id, version: saved.version };
  },
});

/**
 * Requires a plan that names the folder of a new console if its contents are visible to everyone. A move never shares.
 * @throws AppError `not_allowed`, also for connected apps, whose permissions don't include sharing; `not_found`
 */
async function requireFolder({ caller, requireGrant }: ToolContext, folderId: string | null): Promise<void> {
  const folder = folderId === null ? null : await getFolderOrThrow(caller, CONSOLES, folderId);
  if (!folder || accessOf(folder.space) === "private") return;
  requireMayShare(caller, "Save the console in a private folder, and move it in Millrace.");
  await requireGrant("console-write", { id: folder._id.toHexString() });
}

/**
 * Requires the grants for a change to a console. A scheduled console runs its query automatically, now or after its
 * schedule is resumed: that takes `schedule-write`, and `query-write` if its connection may write.
 * @throws AppError `not_allowed`, `not_found`, `conflict` for a stale version
 */
async function requireGrantsToChange(
  context: ToolContext,
  consoleId: string,
  change: Pick<UpdateConsoleBody, "version" | "connectionId">,
): Promise<void> {
  const { caller, chat } = context;
  const before = await getConsole(caller, new ObjectId(consoleId));
  const { id, connectionId } = before;
  // A client's user is asked about nothing that would fail.
  if (chat === null && before.version !== change.version) throw stale(CONSOLES, before);
  const isScheduled = (await schedulesOf(caller.workspaceId, RESOURCE_TYPE, [new ObjectId(id)])).size > 0;
  for (const each of isScheduled ? new Set([connectionId, change.connectionId ?? null]) : []) {
    if (each === null) continue;
    const connection = await getConnectionDocOrThrow(caller, new ObjectId(each));
    // First, since a client's user is asked for the other grants and can't give this one.
    if (!mayOnlyRead(connection)) await context.requireGrant("query-write", { id });
  }
  await context.requireGrant("console-write", { id });
  if (isScheduled) await context.requireGrant("schedule-write", { id });
}

const createChartTool = defineTool({
  name: "create_chart",
  description:
    "Shows a chart: a Vega-Lite specification without data, over a resultId of run_query, or over a connectionId and a query.",
  input: z.object({
    title: z.string().trim().min(1).max(200),
    spec: z.record(z.string(), z.unknown()).describe("Vega-Lite; its data are the result's rows"),
    resultId: objectIdText.optional(),
    connectionId: queryInput.shape.connectionId.optional(),
    query: queryInput.shape.query.optional(),
    variables: queryInput.shape.variables,
    timezone: queryInput.shape.timezone,
  }),
  output: z.object({
    chart: z.object({
      title: z.string(),
      spec: z.record(z.string(), z.unknown()),
      resultId: z.string().optional(),
      rows: z.array(z.record(z.string(), z.unknown())).optional().describe("Present if the result was not stored"),
    }),
  }),
  writes: null,
  agents: ["console"],
  // Results are stored in chats.
  withoutChat: { required: ["connectionId", "query"], absent: ["resultId"] },
  run: async (context, { title, spec, resultId, connectionId, query: text, ...values }) => {
    const own = chartSpec(spec);
    if (resultId !== undefined) {
      if (!(await context.chat?.hasKept(resultId))) {
        throw new AppError("not_found", "Result not found in this chat. Run the query first.");
      }
      return { chart: { title, spec: own, resultId } };
    }
    if (connectionId === undefined || text === undefined) {
      throw new AppError("invalid_request", "Send a resultId, or a connectionId and a query.");
    }
    const answer = await query(context, { connectionId, query: text, ...values });
    return {
      chart: {
        title,
        spec: own,
        ...(answer.resultId === undefined ? { rows: answer.rows } : { resultId: answer.resultId }),
      },
    };
  },
});

export const consoleTools = [searchConsolesTool, readConsoleTool, saveConsoleTool];
export const chartTools = [createChartTool];

/**
 * Validates a chart specification. It draws the given rows and fetches nothing (T65): inline data and URLs are
 * rejected.
 */
function chartSpec(spec: Record<string, unknown>): Record<string, unknown> {
  if (JSON.stringify(spec).length > SPEC_CHARS_MAX) {
    throw new AppError("invalid_request", "The specification exceeds 64 KiB. Remove the rows.");
  }
  const { data: _, datasets: __, ...own } = spec;
  if (hasAddress(own)) {
    throw new AppError("invalid_request", "Charts can't load URLs. Remove data, url and href.");
  }
  const [problem] = findSpecProblems(own);
  if (problem) {
    const details = [{ path: `spec.${problem.path}`, message: problem.message }];
    throw new AppError("invalid_request", `spec.${problem.path}: ${problem.message}`, { details });
  }
  return own;
}

function hasAddress(value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(
    ([key, inner]) => key === "url" || key === "href" || key === "datasets" || hasAddress(inner),
  );
}
