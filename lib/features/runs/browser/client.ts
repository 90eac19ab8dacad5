import type { ConsoleRun, ConsoleRunDetails } from "@/lib/features/consoles/schema";
import type { ResourceType, Run, RunFilters, RunHours } from "@/lib/features/runs/schema";
import { send } from "@/lib/platform/browser/request";
import type { Page } from "@/lib/platform/http/paging";

const root = (workspaceId: string) => `/api/workspaces/${workspaceId}`;
const ofConsole = (workspaceId: string, consoleId: string) => `${root(workspaceId)}/consoles/${consoleId}`;

/** Path segments of the resources that have runs. */
const PLURALS: Record<ResourceType, string> = { scheduled_query: "consoles", flow: "flows", dashboard: "dashboards" };

/** API client of background runs. Each function throws ApiError. */
export const runsApi = {
  /** Lists the runs of all consoles and flows that the user may see, newest first. */
  list: (workspaceId: string, filters: RunFilters & { limit?: number }, cursor: string | null, signal?: AbortSignal) =>
    send<Page<Run>>("GET", `${root(workspaceId)}/runs${toQuery({ ...filters, cursor })}`, { signal }),
  /** Counts the runs of the last 24 hours by the hour in which they started. */
  countByHour: (workspaceId: string, resourceType: ResourceType | undefined, signal?: AbortSignal) =>
    send<RunHours>("GET", `${root(workspaceId)}/runs/hours${toQuery({ resourceType })}`, { signal }),
  listOfConsole: (workspaceId: string, consoleId: string, cursor: string | null, signal?: AbortSignal) =>
    send<Page<ConsoleRun>>("GET", `${ofConsole(workspaceId, consoleId)}/runs${toQuery({ cursor })}`, { signal }),
  readOfConsole: (workspaceId: string, consoleId: string, runId: string, signal?: AbortSignal) =>
    send<ConsoleRunDetails>("GET", `${ofConsole(workspaceId, consoleId)}/runs/${runId}`, { signal }),
  startOfConsole: (workspaceId: string, consoleId: string) =>
    send<{ run: ConsoleRun }>("POST", `${ofConsole(workspaceId, consoleId)}/schedule/run`, { body: {} }),
  /** Cancels a run: a queued one immediately, a running one within seconds. */
  cancel: (workspaceId: string, { resourceType, resourceId, id }: Pick<Run, "resourceType" | "resourceId" | "id">) =>
    send<{ run: Run }>("POST", `${root(workspaceId)}/${PLURALS[resourceType]}/${resourceId}/runs/${id}/cancel`, {
      body: {},
    }),
};

/** Returns a query string of the given values; "" for none. */
export function toQuery(values: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
