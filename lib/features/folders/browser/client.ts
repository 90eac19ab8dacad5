import type { FolderChoice } from "@/lib/features/folders/browser/item-tree";
import type {
  CreateFolderBody,
  DeletedFolder,
  Folder,
  HistoryItem,
  TreePage,
  UpdateFolderBody,
} from "@/lib/features/folders/schema";
import { type RequestOptions, send } from "@/lib/platform/browser/request";
import type { Page } from "@/lib/platform/http/paging";

/** Types of the requests and responses of one kind of item. */
export type ItemTypes = { whole: unknown; summary: unknown; commit: unknown; create: unknown; update: unknown };

/** Number of commits on a page of the history (docs/develop/design.md, States). */
const HISTORY_PAGE = 50;

/** Number of folders and items that a folder shows at first, and adds on request. */
const TREE_PAGE = 100;

/**
 * Requests that all items in folders share: consoles and dashboards. Each function throws ApiError.
 * @param kind path segment of the kind, in the plural
 * @param how request options for whole items
 */
export function itemApi<T extends ItemTypes>(kind: string, how: Pick<RequestOptions, "keepsDigits"> = {}) {
  const root = (workspaceId: string) => `/api/workspaces/${workspaceId}/${kind}`;
  return {
    /** Returns the items with these ids, the best matches of a search by name, or those saved last. */
    lookUp: (workspaceId: string, wanted: { ids: string } | { q: string } | { limit: string }, signal?: AbortSignal) =>
      send<T["summary"][]>("GET", `${root(workspaceId)}/lookup?${new URLSearchParams(wanted)}`, { signal }),
    /** Reads one page of a folder. @param cursor of the previous page; null for the first page */
    readTree: (
      workspaceId: string,
      { folderId, access }: FolderChoice,
      cursor: string | null,
      signal?: AbortSignal,
    ): Promise<TreePage<T["summary"]>> => {
      const query = new URLSearchParams({ limit: `${TREE_PAGE}`, ...(folderId === null ? { access } : { folderId }) });
      if (cursor !== null) query.set("cursor", cursor);
      return send("GET", `${root(workspaceId)}/tree?${query}`, { signal });
    },
    read: (workspaceId: string, id: string, signal?: AbortSignal) =>
      send<T["whole"]>("GET", `${root(workspaceId)}/${id}`, { signal, ...how }),
    create: (workspaceId: string, body: T["create"]) => send<T["whole"]>("POST", root(workspaceId), { body, ...how }),
    update: (workspaceId: string, id: string, body: T["update"]) =>
      send<T["whole"]>("PUT", `${root(workspaceId)}/${id}`, { body, ...how }),
    duplicate: (workspaceId: string, id: string) =>
      send<T["whole"]>("POST", `${root(workspaceId)}/${id}/duplicate`, { body: {}, ...how }),
    remove: (workspaceId: string, id: string) => send<null>("DELETE", `${root(workspaceId)}/${id}`),
    /** Restores a deleted item. @param folderId target folder; default: the old folder; null is the top level */
    undelete: (workspaceId: string, id: string, folderId?: string | null) =>
      send<T["whole"]>("POST", `${root(workspaceId)}/${id}/restore`, { body: { folderId } }),

    /** Returns the folders with these ids, separated by commas. Those that the user cannot see are left out. */
    lookUpFolders: (workspaceId: string, ids: string, signal?: AbortSignal) =>
      send<Folder[]>("GET", `${root(workspaceId)}/folders?${new URLSearchParams({ ids })}`, { signal }),
    createFolder: (workspaceId: string, body: CreateFolderBody) =>
      send<Folder>("POST", `${root(workspaceId)}/folders`, { body }),
    updateFolder: (workspaceId: string, id: string, body: UpdateFolderBody) =>
      send<Folder>("PATCH", `${root(workspaceId)}/folders/${id}`, { body }),
    removeFolder: (workspaceId: string, id: string) =>
      send<DeletedFolder>("DELETE", `${root(workspaceId)}/folders/${id}?recursive=true`),

    /** @param cursor of the previous page; null for the first page */
    listHistory: (workspaceId: string, id: string, cursor: string | null, signal?: AbortSignal) =>
      send<Page<HistoryItem>>(
        "GET",
        `${root(workspaceId)}/${id}/git/history?limit=${HISTORY_PAGE}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
        { signal },
      ),
    readCommit: (workspaceId: string, id: string, sha: string, signal?: AbortSignal) =>
      send<T["commit"]>("GET", `${root(workspaceId)}/${id}/git/commit?sha=${sha}`, { signal }),
    /** Restores the content of an older commit, as a new commit. */
    restoreVersion: (workspaceId: string, id: string, sha: string) =>
      send<T["whole"]>("POST", `${root(workspaceId)}/${id}/git/restore`, { body: { sha } }),
  };
}
