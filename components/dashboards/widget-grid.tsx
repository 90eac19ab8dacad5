"use client";

import type { CSSProperties, ReactNode } from "react";
import { placeWidgets } from "@/lib/features/dashboards/browser/dashboard-grid";
import type { Layout, Widget } from "@/lib/features/dashboards/schema";
import "./widgets.css";

type Placed = Pick<Widget, "id" | "kind"> & { layout: Layout };
type WidgetGridProps<W extends Placed> = { widgets: readonly W[]; children: (widget: W) => ReactNode };

/**
 * Lays out the widgets on twelve columns; on a phone they form one column, with figures two abreast. `children` draws
 * the content of each.
 */
export function WidgetGrid<W extends Placed>({ widgets, children }: WidgetGridProps<W>) {
  return (
    <div className="widgets">
      {placeWidgets(widgets).map((widget) => (
        <div key={widget.id} className={`widget-place of-${widget.kind}`} style={toCells(widget.layout)}>
          {children(widget)}
        </div>
      ))}
    </div>
  );
}

function toCells({ x, y, w, h }: Layout): CSSProperties {
  return { "--x": x + 1, "--y": y + 1, "--w": w, "--h": h } as CSSProperties;
}
