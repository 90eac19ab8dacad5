import { send, sendAll } from "@/lib/client/api";
import type {
  Console, ConsoleAccess, ConsoleCommit, ConsoleDraft, ConsoleFolder, ConsoleSummary, CreateConsoleBody, CreateFolderBody, HistoryItem, PutDraftBody,
  SearchHit, UpdateConsoleBody, UpdateFolderBody,
} from "@/lib/consoles/schema"; // biome-ignore format: one look at the whole list
import type { Page } from "@/lib/http/paging";

/** The chart of a console, as the Vega-Lite specification that is kept with it. */
export type KeptChart = Record<string, unknown>;

/** Commits a page of the history (docs/design.md, States). */
const HISTORY_PAGE = 50;

const root = (workspaceId: string) => `/api/workspaces/${workspaceId}/consoles`;

/** Everything about saved consoles. Each function throws ApiError. */
export const consoleApi = {
  /** All that the person may see, without their texts, the oldest first. */
  list: (workspaceId: string, signal?: AbortSignal) => sendAll<ConsoleSummary>(root(workspaceId), { signal }),
  listFolders: (workspaceId: string, signal?: AbortSignal) =>
    sendAll<ConsoleFolder>(`${root(workspaceId)}/folders`, { signal }),
  read: (workspaceId: string, id: string, signal?: AbortSignal) =>
    send<Console>("GET", `${root(workspaceId)}/${id}`, { signal }),
  create: (workspaceId: string, body: CreateConsoleBody) => send<Console>("POST", root(workspaceId), { body }),
  update: (workspaceId: string, id: string, body: UpdateConsoleBody) =>
    send<Console>("PUT", `${root(workspaceId)}/${id}`, { body }),
  duplicate: (workspaceId: string, id: string) =>
    send<Console>("POST", `${root(workspaceId)}/${id}/duplicate`, { body: {} }),
  remove: (workspaceId: string, id: string) => send<null>("DELETE", `${root(workspaceId)}/${id}`),
  /** Takes a deletion back. @param folderId where to, when not to its old folder; null is the top level */
  undelete: (workspaceId: string, id: string, folderId?: string | null) =>
    send<Console>("POST", `${root(workspaceId)}/${id}/restore`, { body: { folderId } }),

  createFolder: (workspaceId: string, body: CreateFolderBody) =>
    send<ConsoleFolder>("POST", `${root(workspaceId)}/folders`, { body }),
  updateFolder: (workspaceId: string, id: string, body: UpdateFolderBody) =>
    send<ConsoleFolder>("PATCH", `${root(workspaceId)}/folders/${id}`, { body }),
  removeFolder: (workspaceId: string, id: string) =>
    send<null>("DELETE", `${root(workspaceId)}/folders/${id}?recursive=true`),

  /** What this person has typed and not saved; null when there is nothing. */
  readDraft: (workspaceId: string, id: string, signal?: AbortSignal) =>
    send<ConsoleDraft | null>("GET", `${root(workspaceId)}/${id}/draft`, { signal }),
  putDraft: (workspaceId: string, id: string, body: PutDraftBody) =>
    send<ConsoleDraft>("PUT", `${root(workspaceId)}/${id}/draft`, { body }),
  removeDraft: (workspaceId: string, id: string) => send<null>("DELETE", `${root(workspaceId)}/${id}/draft`),

  search: (workspaceId: string, q: string, signal?: AbortSignal) =>
    send<SearchHit[]>("GET", `${root(workspaceId)}/search?q=${encodeURIComponent(q)}`, { signal }),
  listHistory: (workspaceId: string, id: string, cursor: string | null, signal?: AbortSignal) =>
    send<Page<HistoryItem>>(
      "GET",
      `${root(workspaceId)}/${id}/git/history?limit=${HISTORY_PAGE}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
      { signal },
    ),
  readCommit: (workspaceId: string, id: string, sha: string, signal?: AbortSignal) =>
    send<ConsoleCommit>("GET", `${root(workspaceId)}/${id}/git/commit?sha=${sha}`, { signal }),
  /** Gives the console the text of an older commit, as a new one. */
  restoreVersion: (workspaceId: string, id: string, sha: string) =>
    send<Console>("POST", `${root(workspaceId)}/${id}/git/restore`, { body: { sha } }),
};

export type {
  Console,
  ConsoleAccess,
  ConsoleCommit,
  ConsoleDraft,
  ConsoleFolder,
  ConsoleSummary,
  CreateConsoleBody,
  HistoryItem,
  SearchHit,
};
