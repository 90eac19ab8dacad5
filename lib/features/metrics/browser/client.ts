import type { z } from "zod";
import type { FileCommit, HistoryItem } from "@/lib/features/folders/schema";
import type {
  MetricItem,
  MetricQueryBody,
  MetricSummary,
  metricAnswer,
  PutMetricBody,
} from "@/lib/features/metrics/schema";
import { type ListPage, sendListPage } from "@/lib/platform/browser/lists";
import { send } from "@/lib/platform/browser/request";
import type { Page } from "@/lib/platform/http/paging";

export type MetricAnswer = z.infer<typeof metricAnswer>;
export type MetricQuestion = Omit<MetricQueryBody, "orderBy"> & { orderBy?: { by: string; order: "asc" | "desc" }[] };
type Saved = Pick<PutMetricBody, "content" | "version"> & { message?: string | undefined };

const root = (workspaceId: string) => `/api/workspaces/${workspaceId}/metrics`;
const of = (workspaceId: string, name: string) => `${root(workspaceId)}/${encodeURIComponent(name)}`;

/** Client of the metrics API. Each function throws ApiError. */
export const metricApi = {
  /** Lists metric files, without their texts, oldest first. @param cursor of the previous page; null for the first page */
  list: async (
    workspaceId: string,
    cursor: string | null,
    signal?: AbortSignal,
  ): Promise<ListPage<MetricSummary[]>> => {
    const { data } = await sendListPage<Page<MetricSummary>>(root(workspaceId), cursor, signal);
    return { data: data.items, nextCursor: data.nextCursor };
  },
  read: (workspaceId: string, name: string, signal?: AbortSignal) =>
    send<MetricItem>("GET", of(workspaceId, name), { signal }),
  /** Saves a file; version 0 creates it. */
  put: (workspaceId: string, name: string, body: Saved) => send<MetricItem>("PUT", of(workspaceId, name), { body }),
  remove: (workspaceId: string, name: string) => send<null>("DELETE", of(workspaceId, name)),
  listHistory: (workspaceId: string, name: string, cursor: string | null, signal?: AbortSignal) =>
    send<Page<HistoryItem>>(
      "GET",
      `${of(workspaceId, name)}/git/history${cursor === null ? "" : `?${new URLSearchParams({ cursor })}`}`,
      { signal },
    ),
  readCommit: (workspaceId: string, name: string, sha: string, signal?: AbortSignal) =>
    send<FileCommit>("GET", `${of(workspaceId, name)}/git/commit?sha=${sha}`, { signal }),
  restore: (workspaceId: string, name: string, sha: string) =>
    send<MetricItem>("POST", `${of(workspaceId, name)}/git/restore`, { body: { sha } }),
  /** Answers a question; with `dryRun` only its statement. */
  query: (workspaceId: string, body: MetricQuestion, signal?: AbortSignal) =>
    send<MetricAnswer>("POST", `${root(workspaceId)}/query`, { body, signal }),
};
