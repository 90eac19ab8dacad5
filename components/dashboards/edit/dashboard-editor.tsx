"use client";

import { Database, Filter as FilterIcon, Redo2, Save, Settings2, Undo2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { DatasetsPanel } from "@/components/dashboards/edit/datasets-panel";
import { EditGrid } from "@/components/dashboards/edit/edit-grid";
import { FiltersPanel } from "@/components/dashboards/edit/filters-panel";
import { Gallery } from "@/components/dashboards/edit/gallery";
import { PagePanel } from "@/components/dashboards/edit/page-panel";
import { TheirsNotice } from "@/components/dashboards/edit/theirs-notice";
import { useEditing } from "@/components/dashboards/edit/use-editing";
import { WidgetPanel } from "@/components/dashboards/edit/widget-panel";
import { useOffer } from "@/components/layout/use-offer";
import { Confirm } from "@/components/ui/confirm";
import { LeaveQuestion } from "@/components/ui/leave-question";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { Tip } from "@/components/ui/tip";
import { useOutage } from "@/components/ui/use-browser";
import type { Dashboard, Layout } from "@/lib/features/dashboards/browser/client";
import { addWidget, duplicateWidget, removeWidget, toWidgetName } from "@/lib/features/dashboards/browser/edit/draft";
import { LOOK_WORDS, type Look, startLook } from "@/lib/features/dashboards/browser/edit/looks";
import { readsData } from "@/lib/features/dashboards/kinds/traits";
import { WIDGETS_MAX } from "@/lib/features/dashboards/limits";
import "./edit.css";

/** The panel on the right. */
type Open = { panel: "widget"; id: string } | { panel: "datasets" | "filters" | "page" } | null;

/** The editor of a dashboard: its grid, the widget gallery, and one panel for the selection. */
export function DashboardEditor({ dashboard, root }: { dashboard: Dashboard; root: string }) {
  const router = useRouter();
  const outage = useOutage();
  const editing = useEditing(dashboard, () => router.push(`${root}/${dashboard.id}`));
  const { draft, apply, steps, changes, state } = editing;
  const [open, setOpen] = useState<Open>(null);
  const [isDiscarding, setIsDiscarding] = useState(false);
  const gridRef = useRef<HTMLDivElement>(null);
  const chosen = open?.panel === "widget" ? (draft.widgets.find(({ id }) => id === open.id) ?? null) : null;
  const isUnsaved = changes.length > 0 && state !== "saved";

  const add = (look: Look, layout?: Layout) => {
    if (draft.widgets.length >= WIDGETS_MAX) return announce(`Dashboards can have up to ${WIDGETS_MAX} widgets.`);
    const { kind, spec } = startLook(look);
    const [first] = draft.datasets;
    const source = !readsData({ kind }) || !first ? null : { datasetId: first.id };
    const [next, id] = addWidget(draft, { kind, title: "", source, spec, ...(layout && { layout }) });
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
  const undo = () => {
    const last = steps.past.at(-1);
    if (!last) return;
    editing.undo();
    announce(`Undid: ${last.words}`);
  };
  const redo = () => {
    const [next] = steps.future;
    if (!next) return;
    editing.redo();
    announce(`Redid: ${next.words}`);
  };

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.metaKey || event.ctrlKey) || event.altKey || event.key.toLowerCase() !== "z") return;
    // A text field has its own undo.
    const { target } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return;
    event.preventDefault();
    if (event.shiftKey) redo();
    else undo();
  });
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  useOffer("dashboard-edit", [
    { id: "save", name: `Save ${draft.title}`, icon: Save, keys: "mod+s", run: editing.save },
    ...(steps.past.length > 0
      ? [{ id: "undo", name: `Undo: ${steps.past.at(-1)?.words}`, icon: Undo2, keys: "mod+z", run: undo }]
      : []),
    ...(steps.future.length > 0
      ? [{ id: "redo", name: `Redo: ${steps.future[0]?.words}`, icon: Redo2, keys: "mod+shift+z", run: redo }]
      : []),
  ]);

  const toggle = (panel: "datasets" | "filters" | "page") => setOpen(open?.panel === panel ? null : { panel });
  const close = () => setOpen(null);
  const shared = { editing, dashboardId: dashboard.id, onClose: close };
  const said =
    state === "saving"
      ? "Saving"
      : state === "waiting"
        ? "Offline. Saves when you reconnect."
        : changes.length === 0
          ? "No changes"
          : `${changes.length} unsaved ${changes.length === 1 ? "change" : "changes"}`;
  return (
    <main className="edit-page" aria-labelledby="page-title">
      <div className="edit-head">
        <h1 id="page-title" className="trunc">
          {draft.title || "Untitled dashboard"}
        </h1>
        <span className="tag">Editing</span>
        <span className="xs t3 edit-said" title={changes.join("\n")}>
          {said}
        </span>
        <span className="grow" />
        <span className="row edit-steps">
          <Tip label={steps.past.at(-1) ? `Undo: ${steps.past.at(-1)?.words}` : "Nothing to undo"} keys="mod+z">
            <button
              type="button"
              className="btn ghost"
              aria-label="Undo"
              aria-disabled={steps.past.length === 0}
              onClick={undo}
            >
              <Undo2 className="s" />
              <span className="edit-word">Undo</span>
            </button>
          </Tip>
          <Tip label={steps.future[0] ? `Redo: ${steps.future[0].words}` : "Nothing to redo"} keys="mod+shift+z">
            <button
              type="button"
              className="btn ghost"
              aria-label="Redo"
              aria-disabled={steps.future.length === 0}
              onClick={redo}
            >
              <Redo2 className="s" />
              <span className="edit-word">Redo</span>
            </button>
          </Tip>
        </span>
        <button
          type="button"
          className="btn"
          onClick={() => (isUnsaved ? setIsDiscarding(true) : router.push(`${root}/${dashboard.id}`))}
        >
          {isUnsaved ? "Discard changes" : "Close"}
        </button>
        <button
          type="button"
          className="btn primary"
          disabled={!isUnsaved || state === "saving" || state === "waiting"}
          onClick={editing.save}
        >
          {state === "saving" ? "Saving" : "Save dashboard"}
        </button>
      </div>
      <div className="edit-tools row">
        <button
          type="button"
          className="btn sm"
          aria-pressed={open?.panel === "datasets"}
          onClick={() => toggle("datasets")}
        >
          <Database className="s" />
          Datasets <span className="t3 num">{draft.datasets.length}</span>
        </button>
        <button
          type="button"
          className="btn sm"
          aria-pressed={open?.panel === "filters"}
          onClick={() => toggle("filters")}
        >
          <FilterIcon className="s" />
          Filters <span className="t3 num">{draft.filters.length}</span>
        </button>
        <button type="button" className="btn sm" aria-pressed={open?.panel === "page"} onClick={() => toggle("page")}>
          <Settings2 className="s" />
          Settings
        </button>
      </div>
      <div className="edit-notices">
        {editing.theirs && <TheirsNotice editing={editing} theirs={editing.theirs} />}
        {outage !== null && state !== "waiting" && (
          <Notice kind="info" role="status">
            {outage}. Changes are kept here and save when you reconnect.
          </Notice>
        )}
        {editing.failure !== null && (
          <Notice kind="bad" role="alert">
            {editing.failure}
          </Notice>
        )}
      </div>
      <EditGrid
        gridRef={gridRef}
        dashboardId={dashboard.id}
        draft={draft}
        chosenId={chosen?.id ?? null}
        onChange={(widgets, words) => apply({ ...draft, widgets: [...widgets] }, words)}
        onChoose={(id) => setOpen({ panel: "widget", id })}
        onAdd={add}
        onDuplicate={duplicate}
        onRemove={remove}
      />
      <Gallery onAdd={add} isFull={draft.widgets.length >= WIDGETS_MAX} />
      {chosen && <WidgetPanel {...shared} widget={chosen} onDuplicate={duplicate} onRemove={remove} />}
      {open?.panel === "datasets" && <DatasetsPanel {...shared} />}
      {open?.panel === "filters" && <FiltersPanel {...shared} />}
      {open?.panel === "page" && <PagePanel {...shared} />}
      <Confirm
        title="Discard changes?"
        action="Discard changes"
        isOpen={isDiscarding}
        isBusy={false}
        failure={null}
        onClose={() => setIsDiscarding(false)}
        onConfirm={() => {
          editing.discard();
          setIsDiscarding(false);
          router.push(`${root}/${dashboard.id}`);
        }}
      >
        <p>These changes will be lost:</p>
        <ul className="edit-changes">
          {changes.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </Confirm>
      <LeaveQuestion title="Leave without saving?" isOn={isUnsaved} onDiscard={editing.discard}>
        Your changes aren't saved. Keep them in this browser to continue later.
      </LeaveQuestion>
    </main>
  );
}
