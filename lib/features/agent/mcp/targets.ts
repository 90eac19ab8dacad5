import "server-only";
import { ObjectId } from "mongodb";
import { getAppDocOrThrow } from "@/lib/features/apps/service";
import { getConnectionDocOrThrow } from "@/lib/features/connections/service";
import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { getConsole } from "@/lib/features/consoles/service";
import { DASHBOARDS } from "@/lib/features/dashboards/item-kind";
import { getDashboard } from "@/lib/features/dashboards/service";
import { getFlow } from "@/lib/features/flows/service";
import { getFolderOrThrow } from "@/lib/features/folders/placement";
import { getRuleDocOrThrow } from "@/lib/features/notifications/service";
import type { Caller } from "@/lib/platform/access/caller";
import type { Target } from "./question";

type Find = (caller: Caller, id: string) => Promise<Target>;

const findConsole: Find = async (caller, id) => ({
  kind: "Console",
  name: (await getConsole(caller, new ObjectId(id))).path,
});
const findDashboard: Find = async (caller, id) => ({
  kind: "Dashboard",
  name: (await getDashboard(caller, new ObjectId(id))).path,
});
const findFlow: Find = async (caller, id) => ({ kind: "Flow", name: (await getFlow(caller, new ObjectId(id))).name });
const findApp: Find = async (caller, id) => ({ kind: "App", name: (await getAppDocOrThrow(caller, id)).title });
const findConnection: Find = async (caller, id) => ({
  kind: "Connection",
  name: (await getConnectionDocOrThrow(caller, new ObjectId(id))).name,
});
const findConsoleFolder: Find = async (caller, id) => ({
  kind: "Folder",
  name: (await getFolderOrThrow(caller, CONSOLES, id)).path,
});
const findDashboardFolder: Find = async (caller, id) => ({
  kind: "Folder",
  name: (await getFolderOrThrow(caller, DASHBOARDS, id)).path,
});

/** Items by the field of a tool's input that has their id. */
const BY_FIELD: Record<string, Find> = {
  consoleId: findConsole,
  dashboardId: findDashboard,
  appId: findApp,
  flowId: findFlow,
  connectionId: findConnection,
};
/** Items whose kind is another field: `kind` with `id`, `resourceType` with `resourceId`. */
const BY_KIND: Record<string, Find> = {
  console: findConsole,
  dashboard: findDashboard,
  app: findApp,
  flow: findFlow,
  console_folder: findConsoleFolder,
  dashboard_folder: findDashboardFolder,
  scheduled_query: findConsole,
};

const findRule: Find = async (caller, id) => {
  const { resourceType, resourceId } = await getRuleDocOrThrow(caller, new ObjectId(id));
  const found = await BY_KIND[resourceType]?.(caller, resourceId.toHexString());
  return { kind: "Rule for", name: found?.name ?? resourceType };
};

/** Returns what a person must know of a call that its input does not say; null for nothing. */
export function warningOf(tool: string, input: object): string | null {
  if (tool !== "delete_item" || !("kind" in input)) return null;
  if (input.kind === "app") return "The app and its drafts cannot be restored.";
  return "The folder's items can be restored for 30 days.";
}

/**
 * Returns the existing items that a call names, as its caller sees them.
 * @param tool name, which tells the kind of its folders
 * @throws AppError `not_found`
 */
export async function findTargets(caller: Caller, tool: string, input: object): Promise<Target[]> {
  const fields = input as Record<string, unknown>;
  const isOfDashboards = tool === "save_dashboard" || fields.kind === "dashboard";
  const folder = isOfDashboards ? findDashboardFolder : findConsoleFolder;
  const { source, destination } = fields as Record<string, Record<string, unknown> | undefined>;
  const named: [Find | undefined, unknown][] = [
    ...Object.entries(BY_FIELD).map(([field, find]): [Find, unknown] => [find, fields[field]]),
    [findRule, fields.ruleId],
    [BY_KIND[String(fields.kind)], fields.id],
    [BY_KIND[String(fields.resourceType)], fields.resourceId],
    [folder, fields.folderId],
    [folder, fields.parentId],
    [findConnection, source?.connectionId],
    [findConnection, destination?.connectionId],
  ];
  return Promise.all(named.flatMap(([find, id]) => (find && typeof id === "string" ? [find(caller, id)] : [])));
}
