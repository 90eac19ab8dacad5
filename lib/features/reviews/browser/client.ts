import type { Comparison, MergedReview, Review, ReviewDetail } from "@/lib/features/reviews/schema";
import { send } from "@/lib/platform/browser/request";
import type { Page } from "@/lib/platform/http/paging";

const root = (workspaceId: string) => `/api/workspaces/${workspaceId}/reviews`;
const of = (workspaceId: string, name: string) => `${root(workspaceId)}/${encodeURIComponent(name)}`;

/** Client of the reviews API. Each function throws ApiError. */
export const reviewApi = {
  list: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    send<Page<Review>>("GET", `${root(workspaceId)}${cursor === null ? "" : `?${new URLSearchParams({ cursor })}`}`, {
      signal,
    }),
  read: (workspaceId: string, name: string, signal?: AbortSignal) =>
    send<ReviewDetail>("GET", of(workspaceId, name), { signal }),
  /** Runs both versions of a changed file; aborting the signal cancels the queries. */
  compare: (workspaceId: string, name: string, body: { path: string; publish: boolean }, signal: AbortSignal) =>
    send<Comparison>("POST", `${of(workspaceId, name)}/compare`, { body, signal }),
  merge: (workspaceId: string, name: string, sha: string) =>
    send<MergedReview>("POST", `${of(workspaceId, name)}/merge`, { body: { sha } }),
  remove: (workspaceId: string, name: string) => send<null>("DELETE", of(workspaceId, name)),
};
