"use client";

import { type Ref, useMemo } from "react";
import { GridLayout, type LayoutItem, useContainerWidth } from "react-grid-layout";
import { type CardActions, EditCard } from "@/components/dashboards/edit/edit-card";
import { LOOK_TYPE } from "@/components/dashboards/edit/gallery";
import { announce } from "@/components/ui/live-region";
import { useIsPhone } from "@/components/ui/use-browser";
import { GRID_COLUMNS } from "@/lib/features/dashboards/browser/dashboard-grid";
import { type Draft, toWidgetName } from "@/lib/features/dashboards/browser/edit/draft";
import {
  inReadingOrder,
  type Move,
  move,
  type Sizing,
  SMALLEST,
  settle,
  size,
} from "@/lib/features/dashboards/browser/edit/layout";
import { LOOKS, type Look } from "@/lib/features/dashboards/browser/edit/looks";
import type { Layout, Widget } from "@/lib/features/dashboards/schema";
import "react-grid-layout/css/styles.css";

/** Same as in the view mode's grid (widgets.css). */
const ROW_PX = 32;
const GAP_PX = 12;
/** Minimum pointer movement that moves a widget. */
const THRESHOLD_PX = 4;
const HANDLES = ["n", "e", "s", "w", "ne", "se", "sw", "nw"] as const;
const DROPPED = { i: "\u0000dropped", x: 0, y: 0, w: 4, h: 7 };
const MOVE_WORDS: Record<Move, string> = { left: "left", right: "right", up: "up", down: "down", top: "to top", bottom: "to bottom" }; // biome-ignore format: one look

type EditGridProps = CardActions & {
  gridRef: Ref<HTMLDivElement>;
  dashboardId: string;
  draft: Draft;
  /** Widgets of the open tab. */
  shown: readonly Widget[];
  chosenId: string | null;
  onChange: (widgets: readonly Widget[], words: string) => void;
  onAdd: (look: Look, layout: Layout) => void;
};

/** The grid of widgets, which can be moved and resized by pointer, touch, keyboard and menu. */
export function EditGrid(props: EditGridProps) {
  const { gridRef, dashboardId, draft, shown, chosenId, onChange, onAdd, ...actions } = props;
  const { width, containerRef, mounted } = useContainerWidth();
  const isPhone = useIsPhone();
  // Render in reading order, which is also the Tab order.
  const widgets = useMemo(() => inReadingOrder(settle(shown)), [shown]);
  const change = (next: readonly Widget[], widget: Widget, words: string) => {
    if (next === widgets) return announce(`${toWidgetName(widget)} can't move further`);
    onChange(next, `${words} ${toWidgetName(widget)}`);
    const place = next.find(({ id }) => id === widget.id)?.layout;
    if (place) announce(`Column ${place.x + 1}, row ${place.y + 1}, ${place.w} by ${place.h}`);
  };
  const toCard = (widget: Widget) => (
    <EditCard
      {...actions}
      dashboardId={dashboardId}
      draft={draft}
      widget={widget}
      isChosen={widget.id === chosenId}
      onMove={(where) => change(move(widgets, widget.id, where), widget, `Move ${MOVE_WORDS[where]}:`)}
      onSize={(how: Sizing) => change(size(widgets, widget.id, how), widget, "Resize")}
    />
  );
  const onStop = (layout: readonly LayoutItem[], item: LayoutItem | null, words: string) => {
    const widget = widgets.find(({ id }) => id === item?.i);
    if (!widget) return;
    const places = new Map(layout.map(({ i, x, y, w, h }) => [i, { x, y, w, h }]));
    const moved = settle(widgets.map((each) => ({ ...each, layout: places.get(each.id) ?? each.layout })));
    const isSame = moved.every(({ layout: { x, y, w, h } }, at) => {
      const before = widgets[at]?.layout;
      return before && x === before.x && y === before.y && w === before.w && h === before.h;
    });
    if (!isSame) onChange(moved, `${words} ${toWidgetName(widget)}`);
  };
  if (widgets.length === 0 && isPhone) return <Empty gridRef={gridRef} />;
  return (
    <section ref={gridRef} className="edit-scroll" aria-label="Widgets" tabIndex={-1} data-region>
      <p id="edit-help" className="sr-only">
        Arrow keys move. Shift+arrow keys resize. Enter edits. Delete removes.
      </p>
      {isPhone ? (
        <div className="widgets">
          {widgets.map((widget) => (
            <div
              key={widget.id}
              className={`widget-place of-${widget.kind}`}
              style={{ "--h": widget.layout.h } as React.CSSProperties}
            >
              {toCard(widget)}
            </div>
          ))}
        </div>
      ) : (
        <div ref={containerRef} className={widgets.length === 0 ? "edit-grid blank" : "edit-grid"}>
          {widgets.length === 0 && <Empty />}
          {mounted && (
            <GridLayout
              width={width}
              layout={widgets.map(({ id, layout }) => ({ i: id, ...layout, minW: SMALLEST.w, minH: SMALLEST.h }))}
              gridConfig={{ cols: GRID_COLUMNS, rowHeight: ROW_PX, margin: [GAP_PX, GAP_PX], containerPadding: [0, 0] }}
              dragConfig={{ handle: ".edit-drag", cancel: ".edit-still", threshold: THRESHOLD_PX }}
              resizeConfig={{ handles: HANDLES }}
              dropConfig={{ enabled: true, defaultItem: { w: DROPPED.w, h: DROPPED.h } }}
              droppingItem={DROPPED}
              onDragStop={(layout, _, item) => onStop(layout, item, "Move")}
              onResizeStop={(layout, _, item) => onStop(layout, item, "Resize")}
              onDrop={(_, item, event) => {
                const asked = event instanceof DragEvent ? event.dataTransfer?.getData(LOOK_TYPE) : undefined;
                const look = LOOKS.find((each) => each === asked);
                if (look && item) onAdd(look, { x: item.x, y: item.y, w: item.w, h: item.h });
              }}
            >
              {widgets.map((widget) => (
                <div
                  key={widget.id}
                  className={`widget-place of-${widget.kind}${widget.id === chosenId ? " is-chosen" : ""}`}
                >
                  {toCard(widget)}
                </div>
              ))}
            </GridLayout>
          )}
        </div>
      )}
    </section>
  );
}

function Empty({ gridRef }: { gridRef?: Ref<HTMLDivElement> }) {
  return (
    <div ref={gridRef} className="edit-empty" tabIndex={-1}>
      <h2>No widgets yet</h2>
      <p className="t2">Click or drag a widget type from below.</p>
    </div>
  );
}
