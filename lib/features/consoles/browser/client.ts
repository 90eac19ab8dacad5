import { deviceZone } from "@/lib/base/values/names";
import type {
  Console,
  ConsoleDraft,
  ConsoleSummary,
  CreateConsoleBody,
  PutDraftBody,
  SearchHit,
  UpdateConsoleBody,
} from "@/lib/features/consoles/schema";
import { itemApi } from "@/lib/features/folders/browser/client";
import type { FileCommit as ConsoleCommit } from "@/lib/features/folders/schema";
import type { ResultAnswer } from "@/lib/features/query/schema";
import { toQuery } from "@/lib/features/runs/browser/client";
import { sendPage } from "@/lib/platform/browser/lists";
import { request, send } from "@/lib/platform/browser/request";

/** The chart of a console, stored as a Vega-Lite specification. */
export type KeptChart = Record<string, unknown>;

type ConsoleTypes = {
  whole: Console;
  summary: ConsoleSummary;
  commit: ConsoleCommit;
  create: CreateConsoleBody;
  update: UpdateConsoleBody;
};

type Choices = Console["choices"][string];
/** `isIncomplete`: the search ended early. */
export type FoundConsoles = { hits: SearchHit[]; isIncomplete: boolean };
/** A longer list is no help. */
const CHOICES_MAX = 1000;
/** A user waits for it with the list open. */
const CHOICES_TIMEOUT_MS = 10_000;

const root = (workspaceId: string) => `/api/workspaces/${workspaceId}/consoles`;

/** Requests about saved consoles. Each function throws ApiError. */
export const consoleApi = {
  ...itemApi<ConsoleTypes>("consoles"),

  /** Lists the consoles on a connection, oldest first. @param cursor of the previous page; null for the first page */
  listOn: (workspaceId: string, connectionId: string, cursor: string | null, signal?: AbortSignal) =>
    sendPage<ConsoleSummary[]>(`${root(workspaceId)}${toQuery({ connectionId, cursor })}`, { signal }),

  /** Runs a console for the choices of a variable: values of a column, the first unless it is named. */
  readChoices: async (workspaceId: string, { consoleId, column }: Choices, signal?: AbortSignal): Promise<string[]> => {
    const limits = { limit: CHOICES_MAX, timeoutMs: CHOICES_TIMEOUT_MS, readOnly: true, keep: false };
    // The console's default values may be date presets.
    const body = { ...limits, timezone: deviceZone() };
    const url = `${root(workspaceId)}/${consoleId}/execute`;
    const { fields, rows } = await send<ResultAnswer>("POST", url, { body, signal });
    const name = column ?? fields[0]?.name ?? "";
    const values = rows.flatMap((row) => (row[name] === null || row[name] === undefined ? [] : toText(row[name])));
    return [...new Set(values)];
  },

  /** Returns the user's unsaved draft; null without one. */
  readDraft: (workspaceId: string, id: string, signal?: AbortSignal) =>
    send<ConsoleDraft | null>("GET", `${root(workspaceId)}/${id}/draft`, { signal }),
  putDraft: (workspaceId: string, id: string, body: PutDraftBody) =>
    send<ConsoleDraft>("PUT", `${root(workspaceId)}/${id}/draft`, { body }),
  removeDraft: (workspaceId: string, id: string, updatedAt: string) =>
    send<null>("DELETE", `${root(workspaceId)}/${id}/draft?${new URLSearchParams({ updatedAt })}`),

  search: async (workspaceId: string, q: string, signal?: AbortSignal): Promise<FoundConsoles> => {
    const url = `${root(workspaceId)}/search?q=${encodeURIComponent(q)}`;
    const { data, headers } = await request<SearchHit[]>("GET", url, { signal });
    return { hits: data, isIncomplete: headers.has("x-search-incomplete") };
  },
};

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
