"use client";

import { iconOfLook } from "@/components/dashboards/kinds/editors";
import { LOOK_WORDS, LOOKS, type Look } from "@/lib/features/dashboards/browser/edit/looks";

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
          const Icon = iconOfLook(look);
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
