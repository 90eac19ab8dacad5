import type { z } from "zod";
import type { BindingData, BindingItem, Build } from "@/lib/features/apps/bindings/schema";
import type { Preview } from "@/lib/features/apps/preview/schema";
import type { Deployment, Operation, Published } from "@/lib/features/apps/publish/schema";
import type {
  App,
  AppCommit,
  AppFile,
  AppStatus,
  CreateAppBody,
  Template,
  TreeItem,
  UpdateAppBody,
} from "@/lib/features/apps/schema";
import type { ViewToken } from "@/lib/features/apps/view/schema";
import type { linkStatusAnswer, Repo } from "@/lib/features/linked-repositories/schema";
import type { Share, ShareBody } from "@/lib/features/shares/schema";
import { readBytes } from "@/lib/platform/browser/bytes";
import { send } from "@/lib/platform/browser/request";
import type { Page } from "@/lib/platform/http/paging";

/** One app as the feed shows it. */
export type AppCard = Pick<App, "id" | "slug" | "title" | "description" | "access" | "publishedAt" | "updatedAt"> & {
  owner: { id: string; name: string };
  thumbnailUrl: string | null;
  views: number;
  favorite: boolean;
  shared: boolean;
};
/** How many apps there are of each part of the feed, and what the person works on. */
export type AppsOverview = {
  mine: number;
  favorites: number;
  shared: number;
  bench: (Pick<App, "id" | "slug" | "title"> & { changes: number })[];
};
/** A page of the feed; the first one has the shelves. */
export type FeedPage = { popular?: AppCard[]; fresh?: AppCard[]; apps: AppCard[]; nextCursor: string | null };

/** Commits a page of the history (docs/develop/design.md, States). */
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

/** Everything about apps; `ref` is an app's id or its slug. Each function throws ApiError. */
export const appApi = {
  readFeed: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    send<FeedPage>("GET", `${root(workspaceId)}/feed${cursor === null ? "" : `?${new URLSearchParams({ cursor })}`}`, {
      signal,
    }),
  readOverview: (workspaceId: string, signal?: AbortSignal) =>
    send<AppsOverview>("GET", `/api/workspaces/${workspaceId}/apps-v2/overview`, { signal }),
  /** Keeps an app among the person's favourites, or takes it out. */
  setFavorite: (workspaceId: string, ref: string, isFavorite: boolean) =>
    send<null>(isFavorite ? "PUT" : "DELETE", `${of(workspaceId, ref)}/favorite`),
  listTemplates: (workspaceId: string, signal?: AbortSignal) =>
    send<Template[]>("GET", `${root(workspaceId)}/templates`, { signal }),
  create: (workspaceId: string, body: CreateAppBody) => send<App>("POST", root(workspaceId), { body }),
  read: (workspaceId: string, ref: string, signal?: AbortSignal) => send<App>("GET", of(workspaceId, ref), { signal }),
  update: (workspaceId: string, ref: string, body: UpdateAppBody) => send<App>("PATCH", of(workspaceId, ref), { body }),
  remove: (workspaceId: string, ref: string) => send<null>("DELETE", of(workspaceId, ref)),

  /** All files as the person has them, or as a commit has. */
  listFiles: (workspaceId: string, ref: string, sha?: string, signal?: AbortSignal) =>
    send<TreeItem[]>("GET", files(workspaceId, ref, { sha }), { signal }),
  readFile: (workspaceId: string, ref: string, path: string, sha?: string, signal?: AbortSignal) =>
    send<AppFile>("GET", files(workspaceId, ref, { path, sha }), { signal }),
  readFileBytes: (workspaceId: string, ref: string, path: string, sha?: string, signal?: AbortSignal) =>
    readBytes(files(workspaceId, ref, { path, sha, as: "raw" }), signal),
  /** @param oid what was seen: another is a 409, and `none` says that there was no file; without it any is overwritten */
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
  /** @param path one file; without it all of them */
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

  /** Within half a minute it is done; else `operationId` alone says how it goes on. */
  publish: (workspaceId: string, ref: string, body: PublishAsk) =>
    send<Published | Started>("POST", `${of(workspaceId, ref)}/publish`, { body }),
  rollBack: (workspaceId: string, ref: string, sha: string) =>
    send<Published | Started>("POST", `${of(workspaceId, ref)}/rollback`, { body: { sha } }),
  /** What was published and rolled back, the newest first. */
  listOperations: (workspaceId: string, ref: string, limit: number, signal?: AbortSignal) =>
    send<Page<OperationLine>>("GET", `${of(workspaceId, ref)}/operations?limit=${limit}`, { signal }),
  readOperation: (workspaceId: string, ref: string, operationId: string, signal?: AbortSignal) =>
    send<Operation>("GET", `${of(workspaceId, ref)}/operations/${operationId}`, { signal }),
  /** The versions that can be shown again, the newest first. */
  listDeployments: (workspaceId: string, ref: string, cursor: string | null, signal?: AbortSignal) =>
    send<Page<Deployment>>(
      "GET",
      `${of(workspaceId, ref)}/deployments${cursor === null ? "" : `?${new URLSearchParams({ cursor })}`}`,
      { signal },
    ),
  /** How it is shown by a link; null when it never was. */
  readShare: (workspaceId: string, ref: string, signal?: AbortSignal) =>
    send<Share | null>("GET", `${of(workspaceId, ref)}/share`, { signal }),
  putShare: (workspaceId: string, ref: string, body: ShareBody) =>
    send<Share>("PUT", `${of(workspaceId, ref)}/share`, { body }),
  removeShare: (workspaceId: string, ref: string) => send<null>("DELETE", `${of(workspaceId, ref)}/share`),
  mintViewToken: (workspaceId: string, ref: string) =>
    send<ViewToken>("POST", `${of(workspaceId, ref)}/view-token`, { body: {} }),
  /** The person's dev server for an app: the one that runs, else a new one. */
  startPreview: (workspaceId: string, ref: string) =>
    send<Preview>("POST", `${of(workspaceId, ref)}/dev-preview`, { body: {} }),
  stopPreview: (workspaceId: string, ref: string) => send<null>("DELETE", `${of(workspaceId, ref)}/sandbox`),

  /** The bindings as the person has them, with how their rows stand. */
  listBindings: (workspaceId: string, ref: string, signal?: AbortSignal) =>
    send<BindingItem[]>("GET", bindings(workspaceId, ref), { signal }),
  /** Reads the published rows anew, in the background. */
  refreshBinding: (workspaceId: string, ref: string, name: string) =>
    send<{ build: Build }>("POST", `${bindings(workspaceId, ref)}/${encodeURIComponent(name)}/refresh`, { body: {} }),
  /** Reads a binding as the person has it, with their own rights. */
  tryBinding: (workspaceId: string, ref: string, name: string) =>
    send<BindingData>("POST", `${bindings(workspaceId, ref)}/${encodeURIComponent(name)}/preview`, { body: {} }),
  readLink: (workspaceId: string, signal?: AbortSignal) => send<RepositoryLink>("GET", link(workspaceId), { signal }),
  linkRepository: (workspaceId: string, body: LinkAsk) => send<unknown>("POST", link(workspaceId), { body }),
  unlinkRepository: (workspaceId: string) => send<null>("DELETE", link(workspaceId)),
  /** @param prefer whose files stay where both sides have changed them */
  mirrorRepository: (workspaceId: string, prefer?: "workspace" | "host") =>
    send<RepositoryLink>("POST", `${link(workspaceId)}/sync`, { body: prefer === undefined ? {} : { prefer } }),
  /** Where the host asks whether it may list the person's installations. */
  readHostAddress: (workspaceId: string) =>
    send<{ url: string }>("GET", `/api/workspaces/${workspaceId}/apps-v2/repohost-sync-url`),
};

/** A repository on a host, as somebody names it. */
export type LinkAsk = { owner: string; repo: string; defaultBranch?: string; subdirectory?: string };
export type RepositoryLink = z.infer<typeof linkStatusAnswer>;

/** What is settled by hand, by paths: a text, or null for no file. */
export type Resolutions = Record<string, string | null>;
export type PublishAsk = { message?: string; resolutions?: Resolutions; mainSha?: string };
export type Started = { operationId: string };
export type OperationLine = Omit<Operation, "log" | "problems">;
/** A file that main and one's branch have changed in the same lines; `ours` is main's. Null contents are too long to be told. */
export type PublishConflict = { path: string; ours: ConflictSide; theirs: ConflictSide };
type ConflictSide = { oid: string; content: string | null } | null;

/** What a refused publish says of the files that somebody has to settle; null for any other failure. */
export function toConflicts(details: unknown): { mainSha: string | null; conflicts: PublishConflict[] } | null {
  if (typeof details !== "object" || details === null || !("conflicts" in details)) return null;
  const { mainSha, conflicts } = details as { mainSha?: unknown; conflicts: unknown };
  if (!Array.isArray(conflicts)) return null;
  return { mainSha: typeof mainSha === "string" ? mainSha : null, conflicts: conflicts as PublishConflict[] };
}

export type {
  App,
  AppCommit,
  AppFile,
  AppStatus,
  BindingData,
  BindingItem,
  Build,
  CreateAppBody,
  Deployment,
  Operation,
  Published,
  Repo,
  Template,
  TreeItem,
  UpdateAppBody,
  ViewToken,
};
