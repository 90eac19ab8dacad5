"use client";

import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useRefresh } from "@/components/layout/use-refresh";
import { useRunningCount, useWorkspace } from "@/components/layout/workspace-context";
import { useDeliveries, useLiveDeliveries } from "@/components/notifications/use-notifications";
import { executionsApi } from "@/lib/features/query/browser/executions";
import {
  type Activity,
  type ActivityKind,
  mergeActivity,
  resourceTypeOf,
  type Source,
  sourcesToRead,
  toDeliveryActivity,
  toQueryActivity,
  toRunActivity,
} from "@/lib/features/runs/browser/activity";
import { runsApi } from "@/lib/features/runs/browser/client";

export const RUNS = "runs";
export const EXECUTIONS = "executions";
const ANY = {};

/**
 * Returns the runs, queries and deliveries of the workspace as one list, newest first, kept up to date while mounted.
 * @param kind the only kind to load; null for all
 */
export function useActivity(kind: ActivityKind | null) {
  const { workspace } = useWorkspace();
  const resourceType = resourceTypeOf(kind);
  const runs = useInfiniteQuery({
    queryKey: [RUNS, workspace.id, resourceType ?? "any"],
    queryFn: ({ pageParam, signal }) => runsApi.list(workspace.id, { resourceType }, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: kind === null || resourceType !== undefined,
  });
  const queries = useInfiniteQuery({
    queryKey: [EXECUTIONS, workspace.id],
    queryFn: ({ pageParam, signal }) => executionsApi.list(workspace.id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: kind === null || kind === "query",
    // Queries that just ran must be included.
    staleTime: 0,
  });
  const deliveries = useDeliveries(ANY, kind === null || kind === "delivery");
  useRefresh([[RUNS, workspace.id]], (event) => event.kind === "run");
  useLiveDeliveries();
  useOwnQueries();

  const lists = [
    { list: runs, isOn: kind === null || resourceType !== undefined, items: itemsOf(runs, toRunActivity) },
    { list: queries, isOn: kind === null || kind === "query", items: itemsOf(queries, toQueryActivity) },
    { list: deliveries, isOn: kind === null || kind === "delivery", items: itemsOf(deliveries, toDeliveryActivity) },
  ].filter(({ isOn }) => isOn);
  const sources = lists.map(({ list, items }): Source => ({ items, hasMore: list.hasNextPage }));
  const behind = sourcesToRead(sources).flatMap((index) => lists[index]?.list ?? []);
  const failed = lists.find(({ list }) => list.isError && !list.data)?.list ?? null;
  return {
    items: mergeActivity(sources),
    isPending: lists.some(({ list }) => list.isPending),
    failed,
    /** State of the pages, for the button at the end of the list. */
    pages: {
      hasNextPage: behind.length > 0,
      isFetchingNextPage: behind.some((list) => list.isFetchingNextPage),
      isFetchNextPageError: behind.some((list) => list.isFetchNextPageError),
      error: behind.find((list) => list.isFetchNextPageError)?.error ?? null,
      fetchNextPage: () => Promise.all(behind.map((list) => list.fetchNextPage())),
    },
  };
}

type Pages<T> = { data?: { pages: { items: T[] }[] } | undefined };

function itemsOf<T>({ data }: Pages<T>, toActivity: (item: T) => Activity | null): Activity[] {
  return data?.pages.flatMap(({ items }) => items.flatMap((item) => toActivity(item) ?? [])) ?? [];
}

/** Tracks the queries of this tab. The stream does not report interactive queries. */
function useOwnQueries(): void {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const running = useRunningCount();
  const before = useRef(running);
  useEffect(() => {
    if (before.current === running) return;
    before.current = running;
    void queryClient.invalidateQueries({ queryKey: [EXECUTIONS, workspace.id] });
  }, [running, queryClient, workspace.id]);
}
