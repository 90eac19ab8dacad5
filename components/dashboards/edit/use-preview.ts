"use client";

import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useFrame } from "@/components/layout/use-frame";
import { useWorkspace } from "@/components/layout/workspace-context";
import { zoneOf } from "@/lib/base/charts/moments";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import { type Draft, toPartName } from "@/lib/features/dashboards/browser/edit/draft";
import { PreviewBatch, type PreviewItem, toPreviewItem } from "@/lib/features/dashboards/browser/edit/preview-batch";
import type { Preview, Widget, WidgetData } from "@/lib/features/dashboards/schema";
import { ApiError } from "@/lib/platform/browser/request";

export type SourceState = Preview["sources"][number];
export type WidgetPreview = { data: WidgetData | undefined; source: SourceState | null; isReading: boolean };

const NOTHING: WidgetPreview = { data: undefined, source: null, isReading: false };
/** Keeps previews for a while, so that an undo is drawn at once. */
const KEPT_MS = 10 * 60 * 1000;

const batches = new Map<string, PreviewBatch>();

/**
 * Returns the preview of a widget being edited, and the columns available to it. The last preview stays until the next
 * one arrives.
 */
export function usePreview(dashboardId: string, draft: Draft, widget: Widget | null): WidgetPreview {
  const { workspace } = useWorkspace();
  const timezone = useZone();
  const item = useMemo(() => (widget ? toPreviewItem(draft, widget) : null), [draft, widget]);
  const result = useQuery({
    ...toPreviewQuery({ workspaceId: workspace.id, dashboardId, timezone }, widget?.id, item),
    placeholderData: keepPreviousData,
  });
  return widget && item ? toWidgetPreview(widget, result) : NOTHING;
}

/**
 * Returns the previews of all widgets that read data, in the order of the draft.
 * @param dashboardId null for a dashboard that does not exist yet
 */
export function usePreviews(dashboardId: string | null, draft: Draft) {
  const { workspace } = useWorkspace();
  const timezone = useZone();
  const items = useMemo(
    () =>
      draft.widgets.flatMap((widget) => {
        const item = toPreviewItem(draft, widget);
        return item ? [{ widget, item }] : [];
      }),
    [draft],
  );
  const results = useQueries({
    queries: items.map(({ widget, item }) =>
      toPreviewQuery({ workspaceId: workspace.id, dashboardId, timezone }, widget.id, item),
    ),
  });
  return items.map(({ widget }, at) => {
    const result = results[at];
    return {
      widget,
      ...(result ? toWidgetPreview(widget, result) : NOTHING),
      retry: () => void result?.refetch(),
    };
  });
}

type PreviewPlace = { workspaceId: string; dashboardId: string | null; timezone: string };

function toPreviewQuery(place: PreviewPlace, widgetId: string | undefined, item: PreviewItem | null) {
  const { workspaceId, dashboardId, timezone } = place;
  return {
    queryKey: ["dashboard-preview", workspaceId, dashboardId, timezone, widgetId, item],
    queryFn: () => batchOf(place).ask(item as PreviewItem),
    enabled: item !== null,
    staleTime: KEPT_MS,
    gcTime: KEPT_MS,
  };
}

type PreviewResult = { data: Preview | undefined; error: Error | null; isFetching: boolean };

function toWidgetPreview(widget: Widget, { data, error, isFetching }: PreviewResult): WidgetPreview {
  if (error) {
    const why = error instanceof ApiError ? error.message : "Couldn't load the preview. Reload the page.";
    return { data: toFailed(widget.id, why), source: null, isReading: isFetching };
  }
  const name = toPartName(widget);
  return {
    data: data?.widgets.find(({ id }) => id === widget.id),
    source: data?.sources.find((source) => source.name === name) ?? null,
    isReading: isFetching,
  };
}

/** Returns the columns and the age of datasets. */
export function useDatasetSources(dashboardId: string, datasets: Draft["datasets"]) {
  const { workspace } = useWorkspace();
  const timezone = useZone();
  return useQuery<SourceState[]>({
    queryKey: [
      "dashboard-preview",
      workspace.id,
      dashboardId,
      "datasets",
      datasets.map(({ id, source }) => ({ id, source })),
    ],
    queryFn: ({ signal }) =>
      dashboardApi.preview(workspace.id, { dashboardId, datasets, timezone }, signal).then(({ sources }) => sources),
    enabled: datasets.length > 0,
    staleTime: KEPT_MS,
    placeholderData: keepPreviousData,
  });
}

function batchOf({ workspaceId, dashboardId, timezone }: PreviewPlace): PreviewBatch {
  const key = `${workspaceId} ${dashboardId} ${timezone}`;
  const known = batches.get(key);
  if (known) return known;
  const made = new PreviewBatch((parts) =>
    dashboardApi.preview(workspaceId, { ...(dashboardId !== null && { dashboardId }), timezone, ...parts }),
  );
  batches.set(key, made);
  return made;
}

/** Returns the time zone for displayed times, the same as in view mode. */
function useZone(): string {
  const { times } = useFrame().frame;
  return zoneOf({ times }) ?? "UTC";
}

function toFailed(id: string, error: string): WidgetData {
  return { id, fields: [], rows: [], cachedAt: null, ageMs: null, truncated: false, error };
}
