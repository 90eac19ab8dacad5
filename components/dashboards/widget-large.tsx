"use client";

import { KIND_VIEWS } from "@/components/dashboards/kinds/registry";
import { WidgetBody } from "@/components/dashboards/widget-body";
import { Modal } from "@/components/ui/modal";
import type { Period } from "@/lib/features/dashboards/browser/period-words";
import type { Widget, WidgetData } from "@/lib/features/dashboards/schema";

type WidgetLargeProps = { widget: Widget; data: WidgetData | undefined; period: Period; onClose: () => void };

/** One widget as large as the page allows. */
export function WidgetLarge({ widget, data, period, onClose }: WidgetLargeProps) {
  const { Large } = KIND_VIEWS[widget.kind];
  const title = widget.title || "Widget";
  return (
    <Modal title={title} isOpen isWide onClose={onClose}>
      {Large && data !== undefined && data.rows.length > 0 ? (
        <Large title={title} widget={widget} data={data} period={period} />
      ) : (
        <div className="widget-large">
          <WidgetBody widget={widget} data={data} period={period} />
        </div>
      )}
    </Modal>
  );
}
