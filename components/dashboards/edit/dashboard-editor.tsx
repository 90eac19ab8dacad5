"use client";

import { Database, Filter as FilterIcon, Plus, Settings2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useRef, useState } from "react";
import { DashboardNotice, DeletedNotice } from "@/components/dashboards/dashboard-notice";
import { DashboardTabs, useDashboardTabs, withTab } from "@/components/dashboards/dashboard-tabs";
import { DatasetsPanel } from "@/components/dashboards/edit/datasets-panel";
import { DiscardChanges } from "@/components/dashboards/edit/discard-changes";
import { EditGrid } from "@/components/dashboards/edit/edit-grid";
import { EditHead } from "@/components/dashboards/edit/edit-head";
import { FiltersPanel } from "@/components/dashboards/edit/filters-panel";
import { Gallery } from "@/components/dashboards/edit/gallery";
import { OtherDraftNotice } from "@/components/dashboards/edit/other-draft-notice";
import { PagePanel } from "@/components/dashboards/edit/page-panel";
import { TabActions } from "@/components/dashboards/edit/tab-actions";
import { TheirsNotice } from "@/components/dashboards/edit/theirs-notice";
import { type Editing, type Unreadable, useEditing } from "@/components/dashboards/edit/use-editing";
import { useNewTabs } from "@/components/dashboards/edit/use-new-tabs";
import { useUndo } from "@/components/dashboards/edit/use-undo";
import { type EditorPanel, useWidgetActions } from "@/components/dashboards/edit/use-widget-actions";
import { WidgetPanel } from "@/components/dashboards/edit/widget-panel";
import { type DashboardNews, useDashboardNews } from "@/components/dashboards/use-dashboard-news";
import { FormFailure } from "@/components/ui/form-parts";
import { LeaveQuestion } from "@/components/ui/leave-question";
import { Notice } from "@/components/ui/notice";
import { useOutage } from "@/components/ui/use-browser";
import { replaceWidgets } from "@/lib/features/dashboards/browser/edit/layout";
import { WIDGETS_MAX } from "@/lib/features/dashboards/limits";
import type { Dashboard, DashboardDraft } from "@/lib/features/dashboards/schema";
import "./edit.css";

type DashboardEditorProps = {
  dashboard: Dashboard;
  /** The draft that the server has; undefined if it is unknown. */
  draft: DashboardDraft | null | undefined;
  root: string;
};

/** The editor of a dashboard: its grid, the widget gallery, and one panel for the selection. */
export function DashboardEditor({ dashboard, draft: sent, root }: DashboardEditorProps) {
  const router = useRouter();
  const gridRef = useRef<HTMLDivElement>(null);
  const leave = () => router.push(withTab(`${root}/${dashboard.id}`, open));
  const editing = useEditing(dashboard, sent, leave);
  const newTabs = useNewTabs(editing);
  const { open, show } = useDashboardTabs(editing.draft.widgets, newTabs.added);
  const undoing = useUndo(editing);
  const [news, dismissNews] = useDashboardNews(dashboard);
  const widgets = useWidgetActions(editing, gridRef, open);
  const [isDiscarding, setIsDiscarding] = useState(false);
  const { draft, apply, changes, state } = editing;
  const { panel, chosen } = widgets;
  const isUnsaved = changes.length > 0 && state !== "saved";
  const isKept = editing.unreadable?.isOther !== false;
  const shared = { editing, dashboardId: dashboard.id, onClose: widgets.close };
  return (
    <main className="edit-page" aria-labelledby="page-title">
      <EditHead
        editing={editing}
        undoing={undoing}
        isUnsaved={isUnsaved}
        onLeave={() => (isUnsaved ? setIsDiscarding(true) : leave())}
      />
      <EditTools editing={editing} panel={panel} onToggle={widgets.toggle} onAddTab={newTabs.add} />
      <EditNotices editing={editing} dashboard={dashboard} news={news} onDismiss={dismissNews} />
      <DashboardTabs
        widgets={draft.widgets}
        added={newTabs.added}
        actions={(tab) => <TabActions key={tab} tab={tab} editing={editing} newTabs={newTabs} />}
      >
        {(shown) => (
          <EditGrid
            gridRef={gridRef}
            dashboardId={dashboard.id}
            draft={draft}
            shown={shown}
            chosenId={chosen?.id ?? null}
            onChange={(next, words) => apply({ ...draft, widgets: replaceWidgets(draft.widgets, next) }, words)}
            onChoose={widgets.choose}
            onAdd={widgets.add}
            onDuplicate={widgets.duplicate}
            onRemove={widgets.remove}
          />
        )}
      </DashboardTabs>
      <Gallery onAdd={widgets.add} isFull={draft.widgets.length >= WIDGETS_MAX} />
      {chosen && (
        <WidgetPanel
          {...shared}
          widget={chosen}
          onTab={(tab) => show(tab, false)}
          onDuplicate={widgets.duplicate}
          onRemove={widgets.remove}
        />
      )}
      {panel === "datasets" && <DatasetsPanel {...shared} />}
      {panel === "filters" && <FiltersPanel {...shared} />}
      {panel === "page" && <PagePanel {...shared} />}
      <DiscardChanges
        changes={changes}
        isOpen={isDiscarding}
        onClose={() => setIsDiscarding(false)}
        onDiscard={() => {
          editing.discard();
          setIsDiscarding(false);
          leave();
        }}
      />
      <LeaveQuestion title="Leave without saving?" isOn={isUnsaved} onDiscard={isKept ? editing.discard : null}>
        {isKept
          ? "Your changes aren't saved. Keep them in this browser to continue later."
          : "Your changes aren't saved. They will be lost."}
      </LeaveQuestion>
    </main>
  );
}

type EditToolsProps = {
  editing: Editing;
  panel: string | null;
  onToggle: (panel: EditorPanel) => void;
  onAddTab: () => void;
};

/** Buttons of the panels that belong to the whole page. */
function EditTools({ editing: { draft }, panel, onToggle, onAddTab }: EditToolsProps) {
  const tool = (name: EditorPanel, content: ReactNode) => (
    <button type="button" className="btn sm" aria-pressed={panel === name} onClick={() => onToggle(name)}>
      {content}
    </button>
  );
  return (
    <div className="edit-tools row">
      {tool(
        "datasets",
        <>
          <Database className="s" />
          Datasets <span className="t3 num">{draft.datasets.length}</span>
        </>,
      )}
      {tool(
        "filters",
        <>
          <FilterIcon className="s" />
          Filters <span className="t3 num">{draft.filters.length}</span>
        </>,
      )}
      {tool(
        "page",
        <>
          <Settings2 className="s" />
          Settings
        </>,
      )}
      <button type="button" className="btn sm ghost" onClick={onAddTab}>
        <Plus className="s" />
        Add tab
      </button>
    </div>
  );
}

type EditNoticesProps = {
  editing: Editing;
  dashboard: Dashboard;
  news: DashboardNews | null;
  onDismiss: () => void;
};

/** Changes of others, an outage, and the last failure. */
function EditNotices({ editing, dashboard, news, onDismiss }: EditNoticesProps) {
  const outage = useOutage();
  const isMerged = editing.isMerged && editing.changes.length > 0;
  return (
    <div className="edit-notices">
      {editing.unreadable ? (
        <UnreadableDraftNotice {...editing.unreadable} />
      ) : (
        editing.otherChanges && <OtherDraftNotice editing={editing} otherChanges={editing.otherChanges} />
      )}
      {editing.theirs ? (
        <TheirsNotice editing={editing} theirs={editing.theirs} news={news} />
      ) : news?.isDeleted ? (
        <DeletedNotice news={news} onRestored={onDismiss} />
      ) : news && news.before.version < dashboard.version ? (
        <DashboardNotice
          news={news}
          dashboard={dashboard}
          effect={isMerged ? "Merged with your changes." : ""}
          onDismiss={onDismiss}
        />
      ) : (
        isMerged && (
          <Notice kind="info" role="status">
            This dashboard was changed elsewhere. Merged with your changes.
          </Notice>
        )
      )}
      {outage !== null && editing.state !== "waiting" && (
        <Notice kind="info" role="status">
          {outage}. Changes are kept here and save when you reconnect.
        </Notice>
      )}
      <FormFailure text={editing.failure} />
    </div>
  );
}

/** Notice that a stored draft cannot be read. It is kept until the user discards it. */
function UnreadableDraftNotice({ isOther, discard }: Unreadable) {
  return (
    <Notice
      kind="warn"
      role="alert"
      action={
        <button type="button" className="btn sm" onClick={discard}>
          Discard draft
        </button>
      }
    >
      <b className="b6">
        {isOther ? "Your draft in another browser or tab can't be read." : "Your draft can't be read."}
      </b>{" "}
      {isOther ? "Discard it to synchronize your changes." : "Discard it, or save your changes: no new draft is kept."}
    </Notice>
  );
}
