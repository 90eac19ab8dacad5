"use client";

import {
  AreaChart,
  ChartBar,
  ChartBarStacked,
  ChartLine,
  ChartPie,
  ChartScatter,
  Hash,
  type LucideIcon,
  Table2,
  Type,
} from "lucide-react";
import { LOOK_WORDS, LOOKS, type Look } from "@/lib/features/dashboards/browser/edit/shelves";

export const LOOK_ICONS: Record<Look, LucideIcon> = { kpi: Hash, line: ChartLine, bar: ChartBar, stacked: ChartBarStacked, area: AreaChart, scatter: ChartScatter, pie: ChartPie, table: Table2, text: Type }; // biome-ignore format: one look
/** Media type of a gallery item while it is dragged. */
export const LOOK_TYPE = "application/x-millrace-look";

/** The widget gallery. Clicking an item puts it into the first gap; dragging it places it where it is dropped. */
export function Gallery({ onAdd, isFull }: { onAdd: (look: Look) => void; isFull: boolean }) {
  return (
    <section className="edit-gallery" aria-label="Add widget" data-region tabIndex={-1}>
      <div className="row xs">
        <b className="b6">Add widget</b>
        <span className="t3 edit-hint">{isFull ? "Widget limit reached" : "Click or drag to add"}</span>
      </div>
      <div className="edit-looks">
        {LOOKS.map((look) => {
          const Icon = LOOK_ICONS[look];
          return (
            <button
              key={look}
              type="button"
              className="edit-look"
              aria-label={`Add ${LOOK_WORDS[look]}`}
              disabled={isFull}
              draggable
              onDragStart={(event) => {
                event.dataTransfer.setData(LOOK_TYPE, look);
                event.dataTransfer.setData("text/plain", LOOK_WORDS[look]);
                event.dataTransfer.effectAllowed = "copy";
              }}
              onClick={() => onAdd(look)}
            >
              <Icon />
              {LOOK_WORDS[look]}
            </button>
          );
        })}
      </div>
    </section>
  );
}
