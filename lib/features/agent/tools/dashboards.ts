import "server-only";
import { ObjectId } from "mongodb";
import { z } from "zod";
import { isSameJson } from "@/lib/base/values/same-json";
import { DASHBOARDS } from "@/lib/features/dashboards/item-kind";
import { WIDGET_KINDS } from "@/lib/features/dashboards/kinds/traits";
import { createDashboardBody, type UpdateDashboardBody, updateDashboardBody } from "@/lib/features/dashboards/schema";
import {
  checkDashboard,
  createDashboard,
  getDashboard,
  listDashboards,
  updateDashboard,
} from "@/lib/features/dashboards/service";
import { accessOf } from "@/lib/features/folders/model";
import { getFolderOrThrow } from "@/lib/features/folders/placement";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { idCursor, objectIdText } from "@/lib/platform/http/schema";
import type { PlannedDashboard } from "../model";
import { shortText, shownContent } from "./short";
import { BOTH, defineTool, parsed, requireMayShare, type ToolContext } from "./tool";

const LISTED_MAX = 50;
const LISTED_DEFAULT = 20;
const DESCRIPTION_CHARS_MAX = 200;

const listDashboardsTool = defineTool({
  name: "list_dashboards",
  description: "Lists the dashboards that the person can see.",
  input: z.object({ cursor: idCursor.optional(), limit: z.int().min(1).max(LISTED_MAX).optional() }),
  output: z.object({
    dashboards: z.array(z.object({ id: z.string(), title: z.string(), path: z.string(), description: z.string() })),
    nextCursor: z.string().nullable(),
  }),
  writes: null,
  agents: BOTH,
  run: async ({ caller }, { cursor, limit = LISTED_DEFAULT }) => {
    const { items, nextCursor } = await listDashboards(caller, { limit, ...(cursor !== undefined && { cursor }) });
    const dashboards = items.map(({ id, title, path, description }) => {
      return { id, title, path, description: shortText(description, DESCRIPTION_CHARS_MAX) };
    });
    return { dashboards, nextCursor };
  },
});

const readDashboardTool = defineTool({
  name: "read_dashboard",
  description: "Reads a dashboard: its version, and its datasets, widgets and filters as JSON.",
  input: z.object({ dashboardId: objectIdText }),
  output: z.object({
    id: z.string(),
    title: z.string(),
    version: z.int(),
    content: z.string(),
    truncated: z.boolean().describe("The content is truncated. Do not save it back"),
  }),
  writes: null,
  agents: BOTH,
  run: async ({ caller }, { dashboardId }) => {
    const dashboard = await getDashboard(caller, new ObjectId(dashboardId));
    const { id, title, version, datasets, widgets, filters } = dashboard;
    return { id, title, version, ...shownContent(JSON.stringify({ datasets, widgets, filters })) };
  },
});

/** The service validates parts: their whole schema would take a tenth of a model's context. */
const partList = z.array(z.record(z.string(), z.unknown())).optional();

const saveInput = z.object({
  dashboardId: objectIdText.optional().describe("Omit it to create a dashboard"),
  version: z.int().optional().describe("The version that you have read. Required with dashboardId"),
  title: z.string().max(200).optional().describe("Required for a new dashboard"),
  description: z.string().optional(),
  folderId: objectIdText
    .nullable()
    .optional()
    .describe(
      "null is the top level. A new dashboard gets the access of its folder, so everyone sees it in a shared one; at the top level it is private. Show it in the plan",
    ),
  datasets: partList.describe("{id, name, source: {connectionId, query} | {metrics, dimensions?, filters?}}"),
  widgets: partList.describe(
    `{id, kind: ${WIDGET_KINDS.join("|")}, title, source: {datasetId} | {connectionId, query} | {metrics, dimensions?}, spec: {mark (of a map: regions or points), dimensions: [field], measures: [{field, op}], goals?: [{value, label}], goal?, formats?: {column: {style, digits, prefix, suffix}}}, layout: {x, y, w, h} on 12 columns, tab?: the name of the tab that shows it}`,
  ),
  filters: partList.describe(
    "{id, kind: dateRange|select|multiSelect|search, field, datasets?: [id]|all, variables?: {id of a dataset or widget that reads a console: {value} | {from, to}, the names of its variables}}",
  ),
});

const saveDashboardTool = defineTool({
  name: "save_dashboard",
  description:
    "Creates a dashboard with a title, or updates the one with dashboardId and the version that you have read, as one commit. Parts that you omit stay. Requires the grant dashboard-write and, for an update, its ID in the plan's targets. Show it in the plan: send this input there as dashboard. Then fields that you omit are those of the plan.",
  input: saveInput,
  output: z.object({ id: z.string(), version: z.int(), title: z.string() }),
  writes: "dashboard-write",
  scope: "build",
  isDestructive: true,
  agents: BOTH,
  run: async (context, { dashboardId, ...sent }) => {
    // A plan that shows it has been validated; a client's user is asked about nothing that would fail.
    const asked = context.chat === null ? await planDashboard(context.caller, { dashboardId, ...sent }) : null;
    if (asked) requirePrivate(context.caller, JSON.parse(asked.fields));
    await context.requireGrant("dashboard-write", dashboardId === undefined ? undefined : { id: dashboardId });
    const fields = asked ? JSON.parse(asked.fields) : await toPlanned(context, dashboardId ?? null, sent);
    if (dashboardId === undefined) {
      const { id, version, title } = await createDashboard(context.caller, parsed(createDashboardBody, fields));
      return { id, version, title };
    }
    const body = toUpdate(fields);
    const { id, version, title } = await updateDashboard(context.caller, new ObjectId(dashboardId), body);
    return { id, version, title };
  },
});

/**
 * Validates the input of `save_dashboard` and returns what a plan shows of it.
 * @throws AppError as `checkDashboard`, and not_found for a folder that the caller cannot see
 */
export async function planDashboard(caller: Caller, input: Record<string, unknown>): Promise<PlannedDashboard> {
  const { dashboardId, ...sent } = parsed(saveInput, input);
  const folder = sent.folderId ? await getFolderOrThrow(caller, DASHBOARDS, sent.folderId) : null;
  const change = dashboardId === undefined ? null : { dashboardId: new ObjectId(dashboardId), ...toUpdate(sent) };
  const body = change ?? parsed(createDashboardBody, sent);
  // A folder that is shared after the approval must not disclose the dashboard.
  const access = change ? {} : { access: folder ? accessOf(folder.space) : "private" };
  const fields = { ...sent, ...access, ...(await checkDashboard(caller, change, body)) };
  return { dashboardId: dashboardId ?? null, sent: JSON.stringify(sent), fields: JSON.stringify(fields) };
}

/** @throws AppError `not_allowed` for a connected app */
function requirePrivate(caller: Caller, { access }: { access?: string }): void {
  if (access !== "workspace") return;
  requireMayShare(caller, "Save the dashboard in a private folder, and share it in Millrace.");
}

function toUpdate(fields: object): UpdateDashboardBody {
  if (!("version" in fields)) throw new AppError("invalid_request", "version is required. Read the dashboard first.");
  return parsed(updateDashboardBody, fields);
}

/**
 * Returns the fields to save: those that an approved plan shows, if it shows a dashboard.
 * @throws AppError `not_allowed` for fields that differ from them, and for a folder that no plan shows
 */
async function toPlanned({ chat }: ToolContext, dashboardId: string | null, sent: object): Promise<object> {
  const plans = chat ? await chat.plannedDashboards(dashboardId === null ? null : { id: dashboardId }) : [null];
  for (const plan of plans) {
    if (!plan || plan.dashboardId?.toLowerCase() !== dashboardId?.toLowerCase()) continue;
    const [planned, shown] = [JSON.parse(plan.sent), JSON.parse(plan.fields)];
    const isSame = Object.entries(sent).every(
      ([name, value]) => isSameJson(value, planned[name]) || isSameJson(value, shown[name]),
    );
    if (isSame) return shown;
  }
  if (plans.includes(null)) {
    if (!chat || !("folderId" in sent) || sent.folderId === null) return sent;
    throw new AppError("not_allowed", "The folder decides who sees the dashboard. Show the dashboard in the plan.");
  }
  throw new AppError(
    "not_allowed",
    "The approved plan shows a different dashboard. Save what it shows, or propose a new plan.",
  );
}

export const dashboardTools = [listDashboardsTool, readDashboardTool, saveDashboardTool];
