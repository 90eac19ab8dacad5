"use client";

import type { ReactNode } from "react";
import { DashboardTabs } from "@/components/dashboards/dashboard-tabs";
import { type Reading, toFailure } from "@/components/dashboards/data-reader";
import type { useDashboardChoice } from "@/components/dashboards/use-dashboard-choice";
import { WidgetCard } from "@/components/dashboards/widget-card";
import { WidgetGrid } from "@/components/dashboards/widget-grid";
import type { WidgetPress } from "@/components/dashboards/widget-press";
import { toClickKey, toClickValue } from "@/lib/features/dashboards/browser/dashboard-choice";
import type { SharedDashboard } from "@/lib/features/dashboards/schema";

type DashboardCardsProps<W> = {
  widgets: readonly W[];
  reading: Pick<Reading, "data" | "error" | "isReading" | "isSlow" | "arrived">;
  choice: ReturnType<typeof useDashboardChoice>;
  /** Called when the pointer or focus enters a widget, where a click may follow. */
  onEnter: (widgetId: string) => void;
  onLeave: () => void;
  /** Ways from a widget's marks to their rows; omitted where viewers see no rows. */
  drillOf?: (widget: W) => Pick<WidgetPress, "showRows" | "zoomIn">;
  /** Actions on a widget; omitted where there are none. */
  menuOf?: (widget: W) => ReactNode;
};

/** The widgets of a dashboard in view mode, in their tabs. */
export function DashboardCards<W extends SharedDashboard["widgets"][number]>(props: DashboardCardsProps<W>) {
  const { widgets, reading, choice, onEnter, onLeave, drillOf, menuOf } = props;
  const { data, isReading, isSlow, arrived } = reading;
  const error = toFailure(reading);
  return (
    <div className="dashboard-body" aria-busy={isReading}>
      <DashboardTabs widgets={widgets}>
        {(shown) => (
          <WidgetGrid widgets={shown}>
            {(widget) => (
              <WidgetCard
                widget={widget}
                data={data?.get(widget.id)}
                isOld={isSlow && !arrived.has(widget.id)}
                // Until a first response, one error for all widgets appears above.
                isAwaited={error === null || data !== null}
                press={{
                  value: toClickValue(choice.choice[toClickKey(widget.id)]),
                  put: (change) => choice.press(widget.id, change),
                  ...drillOf?.(widget),
                }}
                period={choice.ask}
                onEnter={() => onEnter(widget.id)}
                onLeave={onLeave}
                menu={menuOf?.(widget) ?? null}
              />
            )}
          </WidgetGrid>
        )}
      </DashboardTabs>
    </div>
  );
}
