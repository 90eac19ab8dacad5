import type {
  Arrival,
  BackfillBody,
  CreateFlowBody,
  Flow,
  FlowDetail,
  FlowPreview,
  FlowRun,
  FlowStarted,
  InboundAnswer,
  PreviewBody,
  ProvisionBody,
  Provisioned,
  UpdateFlowBody,
  WebhookStats,
} from "@/lib/features/flows/schema";
import { toQuery } from "@/lib/features/runs/browser/client";
import type { Run } from "@/lib/features/runs/schema";
import { sendPage } from "@/lib/platform/browser/lists";
import { send } from "@/lib/platform/browser/request";
import type { Page } from "@/lib/platform/http/paging";

const root = (workspaceId: string) => `/api/workspaces/${workspaceId}/flows`;
const one = (workspaceId: string, flowId: string) => `${root(workspaceId)}/${encodeURIComponent(flowId)}`;

/** Number of flows in a page: the maximum of a list. */
const PAGE = 200;

export type ArrivalFilters = { status: "repeat" | "refused" | null; eventId: string | null };

/** API client of the flow pages. Each function throws ApiError. */
export const flowsApi = {
  /** Lists flows, oldest first. @param cursor of the previous page; null for the first page */
  list: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    sendPage<Flow[]>(`${root(workspaceId)}${toQuery({ limit: PAGE, cursor })}`, { signal }),
  /** Returns flows by their ids, at most a page, or the first page of those whose names contain a text. */
  lookUp: (workspaceId: string, wanted: { ids: string } | { q: string }, signal?: AbortSignal) =>
    send<Flow[]>("GET", `${root(workspaceId)}${toQuery({ limit: PAGE, ...wanted })}`, { signal }),
  read: (workspaceId: string, flowId: string, signal?: AbortSignal) =>
    send<FlowDetail>("GET", one(workspaceId, flowId), { signal }),
  /** With `trigger` the flow runs immediately, unless it is a webhook: then `run` is null. */
  create: (workspaceId: string, body: CreateFlowBody) => send<FlowStarted>("POST", root(workspaceId), { body }),
  /** Updates only the fields that are sent. With `updatedAt`, a flow that has changed since is a `conflict`. */
  update: (workspaceId: string, flowId: string, body: UpdateFlowBody) =>
    send<Flow>("PATCH", one(workspaceId, flowId), { body }),
  remove: (workspaceId: string, flowId: string) => send<null>("DELETE", one(workspaceId, flowId)),
  run: (workspaceId: string, flowId: string) => send<FlowStarted>("POST", root(workspaceId), { body: { flowId } }),
  backfill: (workspaceId: string, flowId: string, body: BackfillBody) =>
    send<FlowStarted>("POST", `${one(workspaceId, flowId)}/runs`, { body }),
  /** @param cursor cursor of the previous page; null for the newest runs */
  listRuns: (workspaceId: string, flowId: string, cursor: string | null, signal?: AbortSignal) =>
    send<Page<Run>>(
      "GET",
      `${one(workspaceId, flowId)}/runs${cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`}`,
      { signal },
    ),
  readRun: (workspaceId: string, flowId: string, runId: string, signal?: AbortSignal) =>
    send<FlowRun>("GET", `${one(workspaceId, flowId)}/runs/${encodeURIComponent(runId)}`, { signal }),
  cancelRun: (workspaceId: string, flowId: string, runId: string) =>
    send<{ run: Run }>("POST", `${one(workspaceId, flowId)}/runs/${runId}/cancel`),
  preview: (workspaceId: string, body: PreviewBody, signal?: AbortSignal) =>
    send<FlowPreview>("POST", `${root(workspaceId)}/preview`, { body, signal }),
  /** Creates a new address and a new secret; the old ones stop working immediately. */
  provision: (workspaceId: string, flowId: string, body: ProvisionBody) =>
    send<Provisioned>("POST", `${one(workspaceId, flowId)}/webhook/provision`, { body }),
  /**
   * Lists the events that a webhook received, newest first.
   * @param cursor cursor of the previous page; null for the newest
   */
  listArrivals: (
    workspaceId: string,
    flowId: string,
    filters: ArrivalFilters,
    cursor: string | null,
    signal?: AbortSignal,
  ) =>
    send<Page<Arrival>>("GET", `${one(workspaceId, flowId)}/webhook/events${toQuery({ ...filters, cursor })}`, {
      signal,
    }),
  /** Sends a signed event to the webhook's address; it is written like any other. */
  sendTest: (workspaceId: string, flowId: string) =>
    send<InboundAnswer>("POST", `${one(workspaceId, flowId)}/webhook/test`, { body: {} }),
  webhookStats: (workspaceId: string, flowId: string, signal?: AbortSignal) =>
    send<WebhookStats>("GET", `${one(workspaceId, flowId)}/webhook/stats`, { signal }),
};
