"use client";

import { type RefObject, useState } from "react";
import type { Editing } from "@/components/dashboards/edit/use-editing";
import { announce } from "@/components/ui/live-region";
import { addWidget, duplicateWidget, removeWidget, toWidgetName } from "@/lib/features/dashboards/browser/edit/draft";
import { LOOK_WORDS, type Look, startLook } from "@/lib/features/dashboards/browser/edit/looks";
import { readsData } from "@/lib/features/dashboards/kinds/traits";
import { WIDGETS_MAX } from "@/lib/features/dashboards/limits";
import type { Layout } from "@/lib/features/dashboards/schema";

export type EditorPanel = "datasets" | "filters" | "page";
/** The panel on the right. */
type Open = { panel: "widget"; id: string } | { panel: EditorPanel } | null;

/**
 * Returns the open panel, and the actions on widgets, which open and close it.
 * @param tab the open tab, to which widgets are added; null without tabs
 */
export function useWidgetActions(
  { draft, apply }: Editing,
  gridRef: RefObject<HTMLElement | null>,
  tab: string | null,
) {
  const [open, setOpen] = useState<Open>(null);
  const chosen = open?.panel === "widget" ? (draft.widgets.find(({ id }) => id === open.id) ?? null) : null;

  const add = (look: Look, layout?: Layout) => {
    if (draft.widgets.length >= WIDGETS_MAX) return announce(`Dashboards can have up to ${WIDGETS_MAX} widgets.`);
    const { kind, spec } = startLook(look);
    const [first] = draft.datasets;
    const source = !readsData({ kind }) || !first ? null : { datasetId: first.id };
    const [next, id] = addWidget(draft, {
      kind,
      title: "",
      source,
      spec,
      ...(layout && { layout }),
      ...(tab !== null && { tab }),
    });
    apply(next, `Add ${LOOK_WORDS[look]}`);
    setOpen({ panel: "widget", id });
    announce(`${LOOK_WORDS[look]} added`);
  };
  const remove = (id: string) => {
    const widget = draft.widgets.find((each) => each.id === id);
    if (!widget) return;
    apply(removeWidget(draft, id), `Remove ${toWidgetName(widget)}`);
    if (chosen?.id === id) setOpen(null);
    announce(`${toWidgetName(widget)} removed`);
    // Focus the next widget, or the grid after the last one.
    requestAnimationFrame(() => {
      const next = gridRef.current?.querySelector<HTMLElement>(".edit-grip") ?? gridRef.current;
      if (document.activeElement === document.body) next?.focus();
    });
  };
  const duplicate = (id: string) => {
    const made = draft.widgets.length < WIDGETS_MAX ? duplicateWidget(draft, id) : null;
    const widget = draft.widgets.find((each) => each.id === id);
    if (!made || !widget) return announce(`Dashboards can have up to ${WIDGETS_MAX} widgets.`);
    apply(made[0], `Duplicate ${toWidgetName(widget)}`);
    setOpen({ panel: "widget", id: made[1] });
  };
  return {
    panel: open?.panel ?? null,
    /** The selected widget; null if another panel is open, or none. */
    chosen,
    add,
    remove,
    duplicate,
    choose: (id: string) => setOpen({ panel: "widget", id }),
    toggle: (panel: EditorPanel) => setOpen(open?.panel === panel ? null : { panel }),
    close: () => setOpen(null),
  };
}
