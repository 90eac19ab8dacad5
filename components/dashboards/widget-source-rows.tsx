"use client";

import { useQuery } from "@tanstack/react-query";
import { FirstRowsNotice } from "@/components/dashboards/first-rows-notice";
import { toDashboardDataKey } from "@/components/dashboards/use-dashboards";
import { RowsGrid } from "@/components/grid/rows-grid";
import { useFrame } from "@/components/layout/use-frame";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { zoneOf } from "@/lib/base/charts/moments";
import type { ResultRow } from "@/lib/base/values/json-rows";
import { dashboardApi, type FilterChoice } from "@/lib/features/dashboards/browser/client";
import { toChoiceText, toClickKey, toClickValue } from "@/lib/features/dashboards/browser/dashboard-choice";
import { describeClick } from "@/lib/features/dashboards/browser/filter-words";
import { traitsOf } from "@/lib/features/dashboards/kinds/traits";
import type { Widget } from "@/lib/features/dashboards/schema";
import { formatCountOf } from "@/lib/platform/browser/format";

type WidgetSourceRowsProps = { dashboardId: string; widget: Widget; choice: FilterChoice; onClose: () => void };

/** The rows behind a widget, narrowed by the filters and its own click. */
export function WidgetSourceRows({ dashboardId, widget, choice, onClose }: WidgetSourceRowsProps) {
  const { workspace } = useWorkspace();
  const timezone = zoneOf({ times: useFrame().frame.times }) ?? "UTC";
  const found = useQuery({
    queryKey: [...toDashboardDataKey(workspace.id, dashboardId), "rows", widget.id, toChoiceText(choice), timezone],
    queryFn: ({ signal }) =>
      dashboardApi.readData(
        workspace.id,
        dashboardId,
        { filters: choice, timezone, widget: widget.id, isRows: true },
        signal,
      ),
    // They may be many, so the cache drops them with the dialog.
    gcTime: 0,
  });
  const data = found.data?.[0];
  const mark = describeClick(toClickValue(choice[toClickKey(widget.id)]));
  const name = [widget.title || traitsOf(widget.kind).label, mark].filter(Boolean).join(", ");
  return (
    <Modal title={`Underlying rows: ${name}`} isOpen isWide onClose={onClose}>
      {found.isPending && <ListSkeleton label="Loading rows" rowPx={28} />}
      {found.isError && <LoadFailure error={found.error} onRetry={() => found.refetch()} />}
      {data?.error !== undefined && <Notice kind={data.cachedAt === null ? "bad" : "warn"}>{data.error}</Notice>}
      {data && data.fields.length > 0 && (
        <>
          <RowsGrid
            label={`Underlying rows: ${name}`}
            query=""
            dialect="standard"
            fields={data.fields}
            rows={data.rows as ResultRow[]}
          />
          <p className="widget-cut num xs t2">
            {data.truncated
              ? `First ${formatCountOf(data.rows.length, "row")}`
              : formatCountOf(data.rows.length, "row")}
          </p>
          <FirstRowsNotice firstRows={data.firstRows} />
        </>
      )}
    </Modal>
  );
}
