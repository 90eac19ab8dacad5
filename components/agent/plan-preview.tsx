"use client";

import { CircleCheck, Maximize2 } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import type { PlannedDashboard } from "@/components/agent/tool-parts";
import { useConsolesById } from "@/components/consoles/use-consoles";
import { usePreviews, type WidgetPreview } from "@/components/dashboards/edit/use-preview";
import { useDashboard } from "@/components/dashboards/use-dashboards";
import { WidgetBody } from "@/components/dashboards/widget-body";
import { WidgetGrid } from "@/components/dashboards/widget-grid";
import { useFoldersById } from "@/components/folders/use-folders";
import { lazyComponent } from "@/components/ui/lazy-component";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { type Draft, listChanges, toDraft, toWidgetName } from "@/lib/features/dashboards/browser/edit/draft";
import { describeValue, toFilterName } from "@/lib/features/dashboards/browser/filter-words";
import { stackTabs } from "@/lib/features/dashboards/browser/tabs";
import type { Dashboard, Widget } from "@/lib/features/dashboards/schema";
import { formatCountOf } from "@/lib/platform/browser/format";
import { later } from "@/lib/platform/browser/load-again";

const DiffView = lazyComponent(
  later(() => import("@/components/editor/diff-view")),
  (module) => module.DiffView,
);

const EMPTY: Draft = { title: "", description: "", access: "private", datasets: [], widgets: [], filters: [] };
const NO_IDS: string[] = [];
/** More changes, errors and consoles than a person reads before a decision; the diff has all changes. */
const LISTED_MAX = 12;
/** A dashboard's file, for the editor's diff. */
const PLAIN_TEXT = { extension: [] };

type PlanPreviewProps = {
  dashboard: PlannedDashboard;
  /** Called with whether the preview prevents an approval. */
  onBlocked: (isBlocked: boolean) => void;
};

/** The dashboard that a plan saves, rendered from the viewer's own data before anything is saved. */
export function PlanPreview({ dashboard, onBlocked }: PlanPreviewProps) {
  const { dashboardId = null, version } = dashboard;
  const saved = useDashboard(dashboardId);
  const isStale = saved.data !== undefined && !saved.isFetching && saved.data.version !== version;
  const isUnavailable = isStale || saved.isError;
  useEffect(() => {
    if (isUnavailable) onBlocked(true);
  }, [isUnavailable, onBlocked]);
  if (isStale) {
    return (
      <div className="plan-preview">
        <Notice kind="warn" role="status">
          This dashboard changed after the plan was written. Request changes to get a current plan.
        </Notice>
      </div>
    );
  }
  if (dashboardId !== null && !saved.data) {
    return (
      <div className="plan-preview">
        {saved.isError ? (
          <LoadFailure error={saved.error} onRetry={() => void saved.refetch()} />
        ) : (
          <ListSkeleton label="Loading dashboard" />
        )}
      </div>
    );
  }
  return <Rendered dashboard={dashboard} saved={saved.data ?? null} onBlocked={onBlocked} />;
}

function Rendered({ dashboard, saved, onBlocked }: PlanPreviewProps & { saved: Dashboard | null }) {
  const [isLarge, setIsLarge] = useState(false);
  const { before, draft } = useMemo(() => {
    const { dashboardId: _, version: __, ...fields } = dashboard;
    const old = saved ? toDraft(saved) : EMPTY;
    return { before: old, draft: toDraft({ ...old, ...fields }) };
  }, [dashboard, saved]);
  const previews = usePreviews(saved?.id ?? null, draft);
  const failed = previews.filter(hasFailed);
  const pendingCount = previews.filter(({ data }) => data === undefined).length;
  const isReading = previews.some((each) => each.isReading);
  const isBlocked = failed.length > 0;
  useEffect(() => onBlocked(isBlocked), [isBlocked, onBlocked]);
  const total = draft.widgets.length;
  return (
    <section className="plan-preview" aria-label="Preview" aria-busy={isReading}>
      <div className="row xs plan-preview-head">
        <b className="b6">Preview</b>
        <span className="grow row" role="status">
          {isReading ? (
            `Rendering, ${total - pendingCount} of ${formatCountOf(total, "widget")}`
          ) : isBlocked ? (
            <span className="bad-word">{`${failed.length} of ${formatCountOf(total, "widget")} failed`}</span>
          ) : (
            <>
              <CircleCheck className="s plus" />
              {`${total} of ${formatCountOf(total, "widget")} rendered`}
            </>
          )}
        </span>
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label="Enlarge preview"
          onClick={() => setIsLarge(true)}
        >
          <Maximize2 className="s" />
        </button>
      </div>
      {isBlocked && (
        <div className="plan-preview-errors xs" role="alert">
          <ul>
            {failed.slice(0, LISTED_MAX).map(({ widget, data }) => (
              <li key={widget.id}>
                <b className="b6">{toWidgetName(widget)}</b>: {data?.error}
              </li>
            ))}
          </ul>
          <button
            type="button"
            className="btn sm"
            disabled={isReading}
            onClick={() => {
              for (const { retry } of failed) retry();
            }}
          >
            Retry
          </button>
        </div>
      )}
      <Placement
        folderId={dashboard.folderId === undefined ? (saved?.folderId ?? null) : dashboard.folderId}
        draft={draft}
      />
      {/* A picture of the page: the enlarged one can be operated. */}
      <div className="plan-board" inert>
        <div className="row plan-board-head">
          <b className="b6 grow trunc">{draft.title}</b>
          <FilterTags filters={draft.filters} />
        </div>
        <Board draft={draft} previews={previews} />
      </div>
      {saved && <Changes before={before} draft={draft} />}
      {isLarge && (
        <Modal title={draft.title || "Preview"} isOpen isWide onClose={() => setIsLarge(false)}>
          <div className="plan-large">
            <div className="row plan-board-head">
              <FilterTags filters={draft.filters} />
            </div>
            <Board draft={draft} previews={previews} />
          </div>
        </Modal>
      )}
    </section>
  );
}

/** The folder of the dashboard and its readers, with a warning about the data that they see. */
function Placement({ folderId, draft }: { folderId: string | null; draft: Draft }) {
  const folders = useFoldersById(folderId === null ? NO_IDS : [folderId]);
  const isShared = draft.access === "workspace";
  const parts = isShared ? [...draft.datasets, ...draft.widgets] : [];
  const consoles = useConsolesById(
    parts.flatMap(({ source }) => (source !== null && "consoleId" in source ? source.consoleId : [])),
  );
  const names = consoles.data.filter(({ access }) => access === "private").map(({ name }) => name);
  const more = names.length - LISTED_MAX;
  return (
    <>
      <p className="plan-preview-place xs t2">
        Saved {folderId === null ? "at " : "in "}
        <b className="b6">
          {folderId === null ? "the top level" : (folders.data.find(({ id }) => id === folderId)?.path ?? folderId)}
        </b>
        . {isShared ? "Visible to everyone in the workspace." : "Private."}
      </p>
      {names.length > 0 && (
        <Notice kind="warn">
          Everyone in the workspace will see data of private consoles: {names.slice(0, LISTED_MAX).join(", ")}
          {more > 0 && ` and ${more} more`}.
        </Notice>
      )}
    </>
  );
}

type BoardProps = { draft: Draft; previews: ReturnType<typeof usePreviews> };

function Board({ draft, previews }: BoardProps) {
  const data = new Map(previews.map((each) => [each.widget.id, each.data]));
  return (
    <WidgetGrid widgets={stackTabs(draft.widgets)}>
      {(widget) => <PreviewCard widget={widget} data={data.get(widget.id)} />}
    </WidgetGrid>
  );
}

function FilterTags({ filters }: Pick<Draft, "filters">) {
  return filters.map((filter) => (
    <span key={filter.id} className="tag">
      {toFilterName(filter)}: {describeValue(filter.default) ?? "any"}
    </span>
  ));
}

function PreviewCard({ widget, data }: { widget: Widget; data: WidgetPreview["data"] }) {
  return (
    <article className="card widget-card" aria-label={toWidgetName(widget)}>
      {widget.title !== "" && (
        <div className="widget-head">
          <h2 className="trunc">{widget.title}</h2>
        </div>
      )}
      <WidgetBody widget={widget} data={data} />
    </article>
  );
}

/** The changes to a saved dashboard, in words and as a diff of its file. */
function Changes({ before, draft }: { before: Draft; draft: Draft }) {
  const [isOpen, setIsOpen] = useState(false);
  const changes = useMemo(() => listChanges(before, draft), [before, draft]);
  return (
    <details className="plan-diff xs" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Diff, {formatCountOf(changes.length, "change")}</summary>
      <ul>
        {changes.slice(0, LISTED_MAX).map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>
      {isOpen && (
        <div className="edit-diff">
          <DiffView before={toLines(before)} after={toLines(draft)} kind="unified" dialect={PLAIN_TEXT} />
        </div>
      )}
    </details>
  );
}

/** Whether a widget has no data to show because of an error. Older data and truncated data are shown with a notice. */
function hasFailed({ data }: WidgetPreview): boolean {
  return data?.error !== undefined && data.cachedAt === null && data.firstRows === undefined;
}

function toLines({ title, description, datasets, widgets, filters }: Draft): string {
  return JSON.stringify({ title, description, datasets, widgets, filters }, null, 2);
}
