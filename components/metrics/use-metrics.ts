"use client";

import { useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useRefresh } from "@/components/layout/use-refresh";
import { useWorkspace } from "@/components/layout/workspace-context";
import { usePages } from "@/components/ui/use-pages";
import { type MetricQuestion, metricApi } from "@/lib/features/metrics/browser/client";
import { toMetricTitle } from "@/lib/features/metrics/browser/words";
import type { MetricSummary } from "@/lib/features/metrics/schema";
import { ApiError } from "@/lib/platform/browser/request";

/** Keys start with the list's key, so that invalidating the list invalidates all of them. */
export const toMetricsKey = (workspaceId: string) => ["metrics", workspaceId] as const;
export const toMetricKey = (workspaceId: string, name: string) => ["metrics", workspaceId, "file", name] as const;
const toHistoryKey = (workspaceId: string, name: string) => ["metrics", workspaceId, "history", name] as const;
const toAnswerKey = (workspaceId: string, question: MetricQuestion) =>
  ["metric-answers", workspaceId, question] as const;

/** Values of metrics come from queries on the team's databases. */
const ANSWERS_FRESH_MS = 5 * 60_000;
/** Files whose values the list loads: each takes a query. */
const VALUED_FILES_MAX = 20;
/** Metrics of one file whose values the list loads, in one query. */
const VALUED_METRICS_MAX = 20;

/** Reloads metric files when someone saves or pushes one. */
export function useMetricRefresh(): void {
  const { workspace } = useWorkspace();
  useRefresh([toMetricsKey(workspace.id)], ({ kind }) => kind === "metric" || kind === "push");
}

/**
 * Returns the workspace's metric files, oldest first, without their texts, in pages.
 * @param isWanted whether they are read
 */
export function useMetrics(isWanted = true) {
  const { workspace } = useWorkspace();
  return usePages(toMetricsKey(workspace.id), (cursor, signal) => metricApi.list(workspace.id, cursor, signal), {
    enabled: isWanted,
  });
}

/** Returns the metrics of the loaded files, under the names by which a question finds them. */
export function useMetricNames(isWanted = true) {
  const { data } = useMetrics(isWanted);
  return useMemo(() => {
    const all = (data ?? []).flatMap((file) => file.metrics.map((metric) => ({ metric, file })));
    return all.map(({ metric, file }) => {
      const isShared = all.filter((each) => each.metric === metric).length > 1;
      return { name: isShared ? `${file.name}.${metric}` : metric, label: toMetricTitle(metric), file };
    });
  }, [data]);
}

/** Returns the statement of a question; null asks nothing. */
export function useMetricStatement(question: MetricQuestion | null) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: ["metric-statements", workspace.id, question],
    queryFn: ({ signal }) => metricApi.query(workspace.id, { metrics: [], ...question, dryRun: true }, signal),
    enabled: question !== null,
  });
}

export function useMetric(name: string) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toMetricKey(workspace.id, name),
    queryFn: ({ signal }) => metricApi.read(workspace.id, name, signal),
  });
}

/** Returns the versions of a file, newest first, in pages. */
export function useMetricHistory(name: string) {
  const { workspace } = useWorkspace();
  return useInfiniteQuery({
    queryKey: toHistoryKey(workspace.id, name),
    queryFn: ({ pageParam, signal }) => metricApi.listHistory(workspace.id, name, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Returns the answer to a question; the previous one while the next is loading. @param question null asks nothing */
export function useMetricAnswer(question: MetricQuestion | null) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toAnswerKey(workspace.id, question ?? { metrics: [] }),
    queryFn: ({ signal }) => metricApi.query(workspace.id, question ?? { metrics: [] }, signal),
    enabled: question !== null,
    staleTime: ANSWERS_FRESH_MS,
    retry: retriesAnswer,
    placeholderData: (previous) => previous,
  });
}

export type MetricValue = { now: unknown; before: unknown } | { error: string };

/** Returns the values of the metrics of the first files in a period and the one before, by `file.metric`. */
export function useMetricValues(files: readonly MetricSummary[], question: Omit<MetricQuestion, "metrics">) {
  const { workspace } = useWorkspace();
  const valued = files.filter(({ error, metrics }) => error === null && metrics.length > 0).slice(0, VALUED_FILES_MAX);
  return useQueries({
    queries: valued.map(({ name, metrics, version }) => {
      const asked = metrics.slice(0, VALUED_METRICS_MAX).map((metric) => `${name}.${metric}`);
      return {
        queryKey: [...toAnswerKey(workspace.id, { ...question, metrics: asked }), version],
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          metricApi.query(workspace.id, { ...question, metrics: asked }, signal),
        staleTime: ANSWERS_FRESH_MS,
        retry: retriesAnswer,
      };
    }),
    combine: (answers) => {
      const values = new Map<string, MetricValue>();
      for (const [index, { data, error }] of answers.entries()) {
        for (const metric of valued[index]?.metrics ?? []) {
          const name = `${valued[index]?.name}.${metric}`;
          const row = data?.rows?.[0];
          if (row && name in row) values.set(name, { now: row[name], before: row[`${name}_previous`] });
          else if (error) values.set(name, { error: error.message });
        }
      }
      return { values, isPending: answers.some((answer) => answer.isPending) };
    },
  });
}

/** A question that the server refuses has the same answer next time. */
function retriesAnswer(count: number, error: Error): boolean {
  return count < 1 && !(error instanceof ApiError && error.status < 500);
}
