"use client";

import { FirstRowsNotice } from "@/components/dashboards/first-rows-notice";
import { WidgetBody } from "@/components/dashboards/widget-body";
import { RowsGrid } from "@/components/grid/rows-grid";
import { Modal } from "@/components/ui/modal";
import type { ResultRow } from "@/lib/base/values/json-rows";
import type { Widget, WidgetData } from "@/lib/features/dashboards/browser/client";
import type { Period } from "@/lib/features/dashboards/browser/period-words";

type WidgetLargeProps = { widget: Widget; data: WidgetData | undefined; period: Period; onClose: () => void };

/** One widget as large as the page allows; a table becomes the full data grid. */
export function WidgetLarge({ widget, data, period, onClose }: WidgetLargeProps) {
  const isGrid = widget.kind === "table" && data !== undefined && data.rows.length > 0;
  const title = widget.title || "Widget";
  return (
    <Modal title={title} isOpen isWide onClose={onClose}>
      {isGrid ? (
        <>
          <RowsGrid label={title} query="" dialect="standard" fields={data.fields} rows={data.rows as ResultRow[]} />
          <FirstRowsNotice firstRows={data.firstRows} />
        </>
      ) : (
        <div className="widget-large">
          <WidgetBody widget={widget} data={data} period={period} />
        </div>
      )}
    </Modal>
  );
}
