"use client";

import { useQuery } from "@tanstack/react-query";
import { toDashboardDataKey } from "@/components/dashboards/use-dashboards";
import { WidgetBody } from "@/components/dashboards/widget-body";
import { useFrame } from "@/components/layout/use-frame";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Modal } from "@/components/ui/modal";
import { zoneOf } from "@/lib/base/charts/moments";
import { dashboardApi, type FilterChoice } from "@/lib/features/dashboards/browser/client";
import { toChoiceText, toClickKey, toClickValue } from "@/lib/features/dashboards/browser/dashboard-choice";
import { describeClick } from "@/lib/features/dashboards/browser/filter-words";
import type { Widget } from "@/lib/features/dashboards/schema";
import type { Grain } from "@/lib/features/results/crossfilter/words";

type WidgetZoomProps = {
  dashboardId: string;
  widget: Widget;
  /** Filters of the page, and the click on the mark. */
  choice: FilterChoice;
  grain: Grain;
  onClose: () => void;
};

/** One mark of a widget, divided at a finer time grain. */
export function WidgetZoom({ dashboardId, widget, choice, grain, onClose }: WidgetZoomProps) {
  const { workspace } = useWorkspace();
  const timezone = zoneOf({ times: useFrame().frame.times }) ?? "UTC";
  const ask = { filters: choice, timezone, grain, widget: widget.id, isZoomed: true };
  const found = useQuery({
    queryKey: [
      ...toDashboardDataKey(workspace.id, dashboardId),
      "zoom",
      grain,
      widget.id,
      toChoiceText(choice),
      timezone,
    ],
    queryFn: ({ signal }) => dashboardApi.readData(workspace.id, dashboardId, ask, signal),
    gcTime: 0,
  });
  const mark = describeClick(toClickValue(choice[toClickKey(widget.id)]));
  return (
    <Modal title={`${widget.title || widget.kind}: ${mark}, by ${grain}`} isOpen isWide onClose={onClose}>
      {found.isPending && <ListSkeleton label="Loading data" rowPx={28} />}
      {found.isError && <LoadFailure error={found.error} onRetry={() => found.refetch()} />}
      {found.data && (
        <div className="widget-large">
          <WidgetBody widget={widget} data={found.data[0]} period={{ grain }} />
        </div>
      )}
    </Modal>
  );
}
