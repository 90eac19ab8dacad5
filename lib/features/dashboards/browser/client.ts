import type { Cube } from "@/lib/base/cubes/cube";
import { readWidgetLines } from "@/lib/features/dashboards/browser/widget-lines";
import type {
  CreateDashboardBody,
  Dashboard,
  DashboardCommit,
  DashboardDraft,
  DashboardSummary,
  ExportedDashboard,
  FilterValues,
  ImportDashboardBody,
  Preview,
  PutDashboardDraftBody,
  UpdateDashboardBody,
  WidgetData,
} from "@/lib/features/dashboards/schema";
import { itemApi } from "@/lib/features/folders/browser/client";
import type { Folder } from "@/lib/features/folders/schema";
import type {
  CreateSnapshotBody,
  SavedSnapshot,
  Snapshot,
  UpdateSnapshotBody,
} from "@/lib/features/notifications/snapshot-schema";
import type { Comparison, Grain } from "@/lib/features/results/crossfilter/words";
import type { Schedule, ScheduleBody } from "@/lib/features/runs/schedules/schema";
import type { Run } from "@/lib/features/runs/schema";
import type { Share, ShareBody } from "@/lib/features/shares/schema";
import { sendFiltered, toFiltered } from "@/lib/platform/browser/filtered";
import { send } from "@/lib/platform/browser/request";

/** Values of filters, by id: null disables a filter, and an omitted one has its default. */
export type FilterChoice = Readonly<Record<string, unknown>>;
export type DataAsk = {
  filters?: FilterChoice;
  grain?: Grain | undefined;
  compare?: Comparison | undefined;
  timezone: string;
  widget?: string;
  isRows?: boolean;
  /** Narrows the widget by its own click too. */
  isZoomed?: boolean;
};
/** Content of a draft; omitted parts are empty. */
export type PreviewAsk = { dashboardId?: string; timezone: string } & Partial<
  Pick<Dashboard, "datasets" | "widgets" | "filters">
>;
export type CubeAsk = Pick<DataAsk, "filters" | "timezone" | "grain" | "compare">;
export type ValuesAsk = { filters?: FilterChoice; timezone: string; q?: string };

type DashboardTypes = {
  whole: Dashboard;
  summary: DashboardSummary;
  commit: DashboardCommit;
  create: CreateDashboardBody;
  update: UpdateDashboardBody;
};

/** Keeps every digit of the sources' values, since edited content is sent back. */
const EXACT = { keepsDigits: true } as const;
const root = (workspaceId: string) => `/api/workspaces/${workspaceId}/dashboards`;

/** Requests about dashboards. Each function throws ApiError. */
export const dashboardApi = {
  ...itemApi<DashboardTypes>("dashboards", EXACT),
  export: (workspaceId: string, id: string) =>
    send<ExportedDashboard>("GET", `${root(workspaceId)}/${id}/export`, EXACT),
  import: (workspaceId: string, body: ImportDashboardBody) =>
    send<Dashboard>("POST", `${root(workspaceId)}/import`, { body, ...EXACT }),

  /** Unsaved changes of the user; null without any. */
  readDraft: (workspaceId: string, id: string, signal?: AbortSignal) =>
    send<DashboardDraft | null>("GET", `${root(workspaceId)}/${id}/draft`, { signal }),
  putDraft: (workspaceId: string, id: string, body: PutDashboardDraftBody) =>
    send<DashboardDraft>("PUT", `${root(workspaceId)}/${id}/draft`, { body }),
  removeDraft: (workspaceId: string, id: string, updatedAt: string) =>
    send<null>("DELETE", `${root(workspaceId)}/${id}/draft?${new URLSearchParams({ updatedAt })}`),

  /** Reads the data of all widgets or of one, or the rows behind one; texts have no data. */
  readData: async (workspaceId: string, id: string, ask: DataAsk, signal?: AbortSignal) =>
    (await sendFiltered<{ widgets: WidgetData[] }>(`${root(workspaceId)}/${id}/data`, toDataQuery(ask), signal))
      .widgets,
  /** Reads a cube, which gives the data of the other widgets for any click in one (`lib/base/cubes/narrow`). */
  readCube: (workspaceId: string, id: string, widgetId: string, ask: CubeAsk, signal?: AbortSignal) =>
    sendFiltered<Cube>(
      `${root(workspaceId)}/${id}/widgets/${encodeURIComponent(widgetId)}/cube`,
      toDataQuery(ask),
      signal,
    ),
  /** Reads the data of all widgets and reports each as soon as it arrives. */
  readWidgets: (
    workspaceId: string,
    id: string,
    ask: DataAsk,
    onWidget: (widget: WidgetData) => void,
    signal?: AbortSignal,
  ) => readWidgetLines(toFiltered(`${root(workspaceId)}/${id}/data`, toDataQuery(ask)), onWidget, signal),
  /** Reads the values that a filter can have, with the number of rows of each, narrowed by the other filters. */
  readFilterValues: (workspaceId: string, id: string, filterId: string, ask: ValuesAsk, signal?: AbortSignal) =>
    sendFiltered<FilterValues>(
      `${root(workspaceId)}/${id}/filters/${encodeURIComponent(filterId)}/values`,
      toValuesQuery(ask),
      signal,
    ),

  /** Refreshes all data of a dashboard. The end of the run arrives as an event. */
  refresh: (workspaceId: string, id: string) =>
    send<{ run: Run }>("POST", `${root(workspaceId)}/${id}/refresh`, { body: {} }),

  /** Sets the refresh schedule. */
  putSchedule: (workspaceId: string, id: string, body: ScheduleBody) =>
    send<Schedule>("PUT", `${root(workspaceId)}/${id}/schedule`, { body }),
  removeSchedule: (workspaceId: string, id: string) => send<null>("DELETE", `${root(workspaceId)}/${id}/schedule`),

  /** Returns the share; null when it was never shared. */
  readShare: (workspaceId: string, id: string, signal?: AbortSignal) =>
    send<Share | null>("GET", `${root(workspaceId)}/${id}/share`, { signal }),
  putShare: (workspaceId: string, id: string, body: ShareBody) =>
    send<Share>("PUT", `${root(workspaceId)}/${id}/share`, { body }),
  removeShare: (workspaceId: string, id: string) => send<null>("DELETE", `${root(workspaceId)}/${id}/share`),

  /** Lists the scheduled snapshots. */
  listSnapshots: (workspaceId: string, id: string, signal?: AbortSignal) =>
    send<Snapshot[]>("GET", `${root(workspaceId)}/${id}/snapshots`, { signal }),
  createSnapshot: (workspaceId: string, id: string, body: CreateSnapshotBody) =>
    send<SavedSnapshot>("POST", `${root(workspaceId)}/${id}/snapshots`, { body }),
  updateSnapshot: (workspaceId: string, id: string, snapshotId: string, body: UpdateSnapshotBody) =>
    send<SavedSnapshot>("PATCH", `${root(workspaceId)}/${id}/snapshots/${snapshotId}`, { body }),
  removeSnapshot: (workspaceId: string, id: string, snapshotId: string) =>
    send<null>("DELETE", `${root(workspaceId)}/${id}/snapshots/${snapshotId}`),
  sendSnapshot: (workspaceId: string, id: string, snapshotId: string) =>
    send<Snapshot>("POST", `${root(workspaceId)}/${id}/snapshots/${snapshotId}/send`, { body: {} }),

  /** Previews unsaved widgets, with the columns of their sources. */
  preview: (workspaceId: string, body: PreviewAsk, signal?: AbortSignal) =>
    send<Preview>("POST", `${root(workspaceId)}/preview`, { body, signal }),
};

/** Returns the query parameters of a request for a page's data. */
export function toDataQuery(ask: DataAsk): URLSearchParams {
  const { filters, grain, compare, timezone, widget, isRows = false, isZoomed = false } = ask;
  return new URLSearchParams({
    timezone,
    ...toFilters(filters),
    ...(grain && { grain }),
    ...(compare && { compare }),
    ...(widget !== undefined && { widget }),
    ...(isRows && { rows: "true" }),
    ...(isZoomed && { zoom: "true" }),
  });
}

/** Returns the query parameters of a request for a filter's values. */
export function toValuesQuery({ filters, timezone, q }: ValuesAsk): URLSearchParams {
  return new URLSearchParams({ timezone, ...toFilters(filters), ...(q && { q }) });
}

function toFilters(filters: FilterChoice | undefined): { filters?: string } {
  return filters === undefined || Object.keys(filters).length === 0 ? {} : { filters: JSON.stringify(filters) };
}

export type DashboardFolder = Folder;
