"use client";

import { type InfiniteData, type QueryClient, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useWorkspace } from "@/components/layout/workspace-context";
import { usePages } from "@/components/ui/use-pages";
import { type ArrivalFilters, flowsApi } from "@/lib/features/flows/browser/client";
import type { Flow, FlowDetail, FlowRun } from "@/lib/features/flows/schema";
import type { LogLine, Run } from "@/lib/features/runs/schema";
import { toIdLists } from "@/lib/platform/browser/lists";
import type { LiveEvent } from "@/lib/platform/browser/live";
import type { Page } from "@/lib/platform/http/paging";

/** Maximum number of lines that the server returns of a log; older lines are dropped as new ones arrive. */
const LOG_LINES_MAX = 1000;

/** Keys start with the list's key, so that invalidating the list invalidates all of them. */
const keys = {
  list: (workspaceId: string) => ["flows", workspaceId] as const,
  flow: (workspaceId: string, flowId: string) => ["flows", workspaceId, flowId] as const,
  runs: (workspaceId: string, flowId: string) => ["flows", workspaceId, flowId, "runs"] as const,
  run: (workspaceId: string, flowId: string, runId: string) => ["flows", workspaceId, flowId, "run", runId] as const,
  arrivals: (workspaceId: string, flowId: string) => ["flows", workspaceId, flowId, "arrivals"] as const,
  webhook: (workspaceId: string, flowId: string) => ["flows", workspaceId, flowId, "webhook"] as const,
};
export const toFlowsKey = keys.list;
export const toFlowKey = keys.flow;

/** Returns the loaded pages of the workspace's flows, oldest first, each with its latest run. */
export function useFlows() {
  const { workspace } = useWorkspace();
  return usePages(keys.list(workspace.id), (cursor, signal) => flowsApi.list(workspace.id, cursor, signal));
}

/** Returns flows by their ids; reads nothing without ids. Those that do not exist are left out. */
export function useFlowsById(ids: readonly string[]) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: [...keys.list(workspace.id), "by-id", ids],
    queryFn: ({ signal }) => readFlowsById(workspace.id, ids, signal),
    enabled: ids.length > 0,
  });
}

export async function readFlowsById(workspaceId: string, ids: readonly string[], signal: AbortSignal): Promise<Flow[]> {
  return (await Promise.all(toIdLists(ids).map((list) => flowsApi.lookUp(workspaceId, { ids: list }, signal)))).flat();
}

/** Returns the flows whose names contain a text; reads nothing for an empty one. */
export function useFlowsByName(q: string) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: [...keys.list(workspace.id), "by-name", q],
    queryFn: ({ signal }) => flowsApi.lookUp(workspace.id, { q }, signal),
    enabled: q !== "",
  });
}

export function useFlow(flowId: string) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: keys.flow(workspace.id, flowId),
    queryFn: ({ signal }) => flowsApi.read(workspace.id, flowId, signal),
  });
}

/** Returns the runs of a flow, newest first, in pages. */
export function useFlowRuns(flowId: string) {
  const { workspace } = useWorkspace();
  return useInfiniteQuery({
    queryKey: keys.runs(workspace.id, flowId),
    queryFn: ({ pageParam, signal }) => flowsApi.listRuns(workspace.id, flowId, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/**
 * Returns a run with its log.
 * @param runId null if there is none yet
 */
export function useFlowRun(flowId: string, runId: string | null) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: keys.run(workspace.id, flowId, runId ?? ""),
    queryFn: ({ signal }) => readRun(workspace.id, flowId, runId ?? "", signal),
    enabled: runId !== null,
  });
}

/** Returns the events that a webhook received, newest first, in pages. */
export function useArrivals(flowId: string, filters: ArrivalFilters) {
  const { workspace } = useWorkspace();
  return useInfiniteQuery({
    queryKey: [...keys.arrivals(workspace.id, flowId), filters],
    queryFn: ({ pageParam, signal }) => flowsApi.listArrivals(workspace.id, flowId, filters, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

export function useWebhookStats(flowId: string) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: keys.webhook(workspace.id, flowId),
    queryFn: ({ signal }) => flowsApi.webhookStats(workspace.id, flowId, signal),
  });
}

/**
 * Keeps the displayed flows current. Progress and log lines are complete in their events. Other changes, including a
 * run's status, are loaded again.
 */
export function applyFlowEvent(client: QueryClient, workspaceId: string, event: LiveEvent): void {
  if (event.kind === "reset") return void client.invalidateQueries({ queryKey: keys.list(workspaceId) });
  const { data } = event;
  if (data.resourceType !== "flow") return;
  const flowId = data.resourceId;
  if (event.kind === "log") applyLog(client, workspaceId, flowId, data as { runId?: string; lines?: LogLine[] });
  if (event.kind !== "run") return;
  const run = data.run as Run | undefined;
  const isProgress = run !== undefined && putRun(client, workspaceId, run);
  if (isProgress) return;
  void client.invalidateQueries({ queryKey: keys.list(workspaceId), exact: true });
  void client.invalidateQueries({ queryKey: keys.flow(workspaceId, flowId) });
}

type FlowPages = InfiniteData<{ data: Flow[]; nextCursor: string | null }>;

/** @returns whether the run was known with this status, so that only its progress is new */
function putRun(client: QueryClient, workspaceId: string, run: Run): boolean {
  const { id, resourceId: flowId, status } = run;
  const list = keys.list(workspaceId);
  const runKey = keys.run(workspaceId, flowId, id);
  const known = [
    client
      .getQueryData<FlowPages>(list)
      ?.pages.flatMap(({ data }) => data)
      .find((flow) => flow.id === flowId)?.lastRun,
    client.getQueryData<FlowDetail>(keys.flow(workspaceId, flowId))?.lastRun,
    client.getQueryData<FlowRun>(runKey),
  ].filter((each) => each !== undefined);
  const withRun = <T extends Flow>(flow: T): T => (flow.lastRun?.id === id ? { ...flow, status, lastRun: run } : flow);
  client.setQueryData<FlowPages>(list, (before) => {
    if (!before) return before;
    const pages = before.pages.map((page) => ({
      ...page,
      data: page.data.map((flow) => (flow.id === flowId ? withRun(flow) : flow)),
    }));
    return { ...before, pages };
  });
  client.setQueryData<FlowDetail>(keys.flow(workspaceId, flowId), (flow) => flow && withRun(flow));
  client.setQueryData<FlowRun>(runKey, (before) => before && { ...run, logs: before.logs });
  client.setQueryData<InfiniteData<Page<Run>>>(keys.runs(workspaceId, flowId), (before) => {
    if (!before) return before;
    const pages = before.pages.map((page) => ({
      ...page,
      items: page.items.map((item) => (item.id === id ? run : item)),
    }));
    return { ...before, pages };
  });
  return known.length > 0 && known.every((each) => each?.id === id && each.status === status);
}

function applyLog(
  client: QueryClient,
  workspaceId: string,
  flowId: string,
  { runId, lines }: { runId?: string; lines?: LogLine[] },
): void {
  if (runId === undefined) return void client.invalidateQueries({ queryKey: keys.flow(workspaceId, flowId) });
  const queryKey = keys.run(workspaceId, flowId, runId);
  // An event that is too large says only that there are more lines.
  if (lines === undefined) return void client.invalidateQueries({ queryKey });
  for (const heard of readings.get(runId) ?? []) heard.push(...lines);
  client.setQueryData<FlowRun>(queryKey, (run) => run && { ...run, logs: mergeLog(run.logs, lines) });
}

/** Log lines received during a read, by run: the response may be older than they are. */
const readings = new Map<string, Set<LogLine[]>>();

async function readRun(workspaceId: string, flowId: string, runId: string, signal: AbortSignal): Promise<FlowRun> {
  const heard: LogLine[] = [];
  const all = readings.get(runId) ?? new Set();
  readings.set(runId, all.add(heard));
  try {
    const run = await flowsApi.readRun(workspaceId, flowId, runId, signal);
    return { ...run, logs: mergeLog(run.logs, heard) };
  } finally {
    all.delete(heard);
    if (all.size === 0) readings.delete(runId);
  }
}

/** Appends the new lines: a response may already hold lines that a later event repeats. */
export function mergeLog(known: LogLine[], lines: LogLine[]): LogLine[] {
  const toKey = ({ at, level, text }: LogLine) => `${at} ${level} ${text}`;
  const seen = new Set(known.slice(-LOG_LINES_MAX).map(toKey));
  return [...known, ...lines.filter((line) => !seen.has(toKey(line)))].slice(-LOG_LINES_MAX);
}
