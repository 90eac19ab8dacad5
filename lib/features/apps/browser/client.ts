import type { z } from "zod";
import type { BindingData, BindingItem, Build } from "@/lib/features/apps/bindings/schema";
import type { Feed, Overview } from "@/lib/features/apps/feed/schema";
import type { Preview } from "@/lib/features/apps/preview/schema";
import type { Deployment, Operation, Published } from "@/lib/features/apps/publish/schema";
import type {
  App,
  AppCommit,
  AppFile,
  AppStatus,
  AppSummary,
  CreateAppBody,
  Template,
  TreeItem,
  UpdateAppBody,
} from "@/lib/features/apps/schema";
import type { ViewToken } from "@/lib/features/apps/view/schema";
import type { LinkBody, linkStatusAnswer } from "@/lib/features/linked-repositories/schema";
import type { Share, ShareBody } from "@/lib/features/shares/schema";
import { readBytes } from "@/lib/platform/browser/bytes";
import { send } from "@/lib/platform/browser/request";
import type { Page } from "@/lib/platform/http/paging";

/** Commits per page of the history (docs/develop/design.md, States). */
const HISTORY_PAGE = 50;

const root = (workspaceId: string) => `/api/workspaces/${workspaceId}/apps`;
const of = (workspaceId: string, ref: string) => `${root(workspaceId)}/${encodeURIComponent(ref)}`;
const files = (workspaceId: string, ref: string, query: Record<string, string | undefined>) => {
  const set = Object.entries(query).filter((each): each is [string, string] => each[1] !== undefined);
  return `${of(workspaceId, ref)}/files?${new URLSearchParams(set)}`;
};

const bindings = (workspaceId: string, ref: string) =>
  `/api/workspaces/${workspaceId}/apps-v2/${encodeURIComponent(ref)}/bindings`;

const link = (workspaceId: string) => `/api/workspaces/${workspaceId}/apps-v2/link`;

/** Client of the apps API; `ref` is an app's id or its slug. Each function throws ApiError. */
export const appApi = {
  readFeed: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    send<Feed>("GET", `${root(workspaceId)}/feed${cursor === null ? "" : `?${new URLSearchParams({ cursor })}`}`, {
      signal,
    }),
  readOverview: (workspaceId: string, signal?: AbortSignal) =>
    send<Overview>("GET", `/api/workspaces/${workspaceId}/apps-v2/overview`, { signal }),
  /** Adds an app to the user's favourites or removes it. */
  setFavorite: (workspaceId: string, ref: string, isFavorite: boolean) =>
    send<null>(isFavorite ? "PUT" : "DELETE", `${of(workspaceId, ref)}/favorite`),
  listTemplates: (workspaceId: string, signal?: AbortSignal) =>
    send<Template[]>("GET", `${root(workspaceId)}/templates`, { signal }),
  /** Returns the apps with these ids, separated by commas. Those that the user cannot see are left out. */
  lookUp: (workspaceId: string, ids: string, signal?: AbortSignal) =>
    send<AppSummary[]>("GET", `${root(workspaceId)}?${new URLSearchParams({ ids })}`, { signal }),
  create: (workspaceId: string, body: CreateAppBody) => send<App>("POST", root(workspaceId), { body }),
  read: (workspaceId: string, ref: string, signal?: AbortSignal) => send<App>("GET", of(workspaceId, ref), { signal }),
  update: (workspaceId: string, ref: string, body: UpdateAppBody) => send<App>("PATCH", of(workspaceId, ref), { body }),
  remove: (workspaceId: string, ref: string) => send<null>("DELETE", of(workspaceId, ref)),

  /** Lists all files in the user's version, or as of a commit. */
  listFiles: (workspaceId: string, ref: string, sha?: string, signal?: AbortSignal) =>
    send<TreeItem[]>("GET", files(workspaceId, ref, { sha }), { signal }),
  readFile: (workspaceId: string, ref: string, path: string, sha?: string, signal?: AbortSignal) =>
    send<AppFile>("GET", files(workspaceId, ref, { path, sha }), { signal }),
  readFileBytes: (workspaceId: string, ref: string, path: string, sha?: string, signal?: AbortSignal) =>
    readBytes(files(workspaceId, ref, { path, sha, as: "raw" }), signal),
  /**
   * Writes a file.
   * @param oid id of the content last seen: 409 if it differs; `none` means no file; absent overwrites any
   */
  writeFile: (workspaceId: string, ref: string, path: string, content: string | Blob, oid?: string) =>
    send<TreeItem>("PUT", files(workspaceId, ref, { path, oid }), {
      bytes: typeof content === "string" ? new Blob([content]) : content,
    }),
  removeFile: (workspaceId: string, ref: string, path: string, oid?: string) =>
    send<null>("DELETE", files(workspaceId, ref, { path, oid })),

  readStatus: (workspaceId: string, ref: string, signal?: AbortSignal) =>
    send<AppStatus>("GET", `${of(workspaceId, ref)}/status`, { signal }),
  commit: (workspaceId: string, ref: string, message: string | undefined) =>
    send<{ sha: string; branch: string }>("POST", `${of(workspaceId, ref)}/commit`, { body: { message } }),
  /** Discards changes. @param path one file; default: all files */
  discard: (workspaceId: string, ref: string, path?: string) =>
    send<null>(
      "POST",
      `${of(workspaceId, ref)}/discard${path === undefined ? "" : `?${new URLSearchParams({ path })}`}`,
      { body: {} },
    ),
  readHistory: (workspaceId: string, ref: string, cursor: string | null, signal?: AbortSignal) =>
    send<Page<AppCommit>>(
      "GET",
      `${of(workspaceId, ref)}/history?${new URLSearchParams({ limit: String(HISTORY_PAGE), ...(cursor !== null && { cursor }) })}`,
      { signal },
    ),

  /** Returns the result if it is ready within 30 s, else only the `operationId` to follow. */
  publish: (workspaceId: string, ref: string, body: PublishAsk) =>
    send<Published | Started>("POST", `${of(workspaceId, ref)}/publish`, { body }),
  rollBack: (workspaceId: string, ref: string, sha: string) =>
    send<Published | Started>("POST", `${of(workspaceId, ref)}/rollback`, { body: { sha } }),
  /** Lists publishes and rollbacks, newest first. */
  listOperations: (workspaceId: string, ref: string, limit: number, signal?: AbortSignal) =>
    send<Page<OperationLine>>("GET", `${of(workspaceId, ref)}/operations?limit=${limit}`, { signal }),
  readOperation: (workspaceId: string, ref: string, operationId: string, signal?: AbortSignal) =>
    send<Operation>("GET", `${of(workspaceId, ref)}/operations/${operationId}`, { signal }),
  /** Lists the versions that can be rolled back to, newest first. */
  listDeployments: (workspaceId: string, ref: string, cursor: string | null, signal?: AbortSignal) =>
    send<Page<Deployment>>(
      "GET",
      `${of(workspaceId, ref)}/deployments${cursor === null ? "" : `?${new URLSearchParams({ cursor })}`}`,
      { signal },
    ),
  /** Returns the share link of the app; null if it was never shared. */
  readShare: (workspaceId: string, ref: string, signal?: AbortSignal) =>
    send<Share | null>("GET", `${of(workspaceId, ref)}/share`, { signal }),
  putShare: (workspaceId: string, ref: string, body: ShareBody) =>
    send<Share>("PUT", `${of(workspaceId, ref)}/share`, { body }),
  removeShare: (workspaceId: string, ref: string) => send<null>("DELETE", `${of(workspaceId, ref)}/share`),
  mintViewToken: (workspaceId: string, ref: string) =>
    send<ViewToken>("POST", `${of(workspaceId, ref)}/view-token`, { body: {} }),
  /** Returns the user's dev server for an app, and starts it if needed. */
  startPreview: (workspaceId: string, ref: string) =>
    send<Preview>("POST", `${of(workspaceId, ref)}/dev-preview`, { body: {} }),
  stopPreview: (workspaceId: string, ref: string) => send<null>("DELETE", `${of(workspaceId, ref)}/sandbox`),

  /** Lists the bindings in the user's version, with the state of their rows. */
  listBindings: (workspaceId: string, ref: string, signal?: AbortSignal) =>
    send<BindingItem[]>("GET", bindings(workspaceId, ref), { signal }),
  /** Refreshes the published rows in the background. */
  refreshBinding: (workspaceId: string, ref: string, name: string) =>
    send<{ build: Build }>("POST", `${bindings(workspaceId, ref)}/${encodeURIComponent(name)}/refresh`, { body: {} }),
  /** Reads a binding in the user's version, with the user's rights. */
  tryBinding: (workspaceId: string, ref: string, name: string) =>
    send<BindingData>("POST", `${bindings(workspaceId, ref)}/${encodeURIComponent(name)}/preview`, { body: {} }),
  readLink: (workspaceId: string, signal?: AbortSignal) => send<RepositoryLink>("GET", link(workspaceId), { signal }),
  linkRepository: (workspaceId: string, body: LinkBody) => send<unknown>("POST", link(workspaceId), { body }),
  unlinkRepository: (workspaceId: string) => send<null>("DELETE", link(workspaceId)),
  /** Syncs the repository. @param body.prefer the side whose files win where both have changed them */
  mirrorRepository: (workspaceId: string, body: { prefer?: "workspace" | "host"; scope?: "all" }) =>
    send<RepositoryLink>("POST", `${link(workspaceId)}/sync`, { body }),
  /** Returns the address at which the host asks for permission to list the user's installations. */
  readHostAddress: (workspaceId: string) =>
    send<{ url: string }>("GET", `/api/workspaces/${workspaceId}/apps-v2/repohost-sync-url`),
};

export type RepositoryLink = z.infer<typeof linkStatusAnswer>;

/** Manual resolutions by path: a text, or null for no file. */
export type Resolutions = Record<string, string | null>;
export type PublishAsk = { message?: string; resolutions?: Resolutions; mainSha?: string };
export type Started = { operationId: string };
export type OperationLine = Omit<Operation, "log" | "problems">;
/**
 * A file with overlapping changes on main and on the user's branch; `ours` is main's. Contents are null if too long for
 * the response.
 */
export type PublishConflict = { path: string; ours: ConflictSide; theirs: ConflictSide };
type ConflictSide = { oid: string; content: string | null } | null;

/** Returns the conflicts of a refused publish, which the user has to resolve; null for any other failure. */
export function toConflicts(details: unknown): { mainSha: string | null; conflicts: PublishConflict[] } | null {
  if (typeof details !== "object" || details === null || !("conflicts" in details)) return null;
  const { mainSha, conflicts } = details as { mainSha?: unknown; conflicts: unknown };
  if (!Array.isArray(conflicts)) return null;
  return { mainSha: typeof mainSha === "string" ? mainSha : null, conflicts: conflicts as PublishConflict[] };
}
