"use client";

import { useMutation } from "@tanstack/react-query";
import {
  CalendarClock,
  Ellipsis,
  ImageDown,
  LayoutDashboard,
  Maximize,
  Pencil,
  Printer,
  RotateCw,
  Share2,
  TriangleAlert,
} from "lucide-react";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { prepareCharts } from "@/components/chart/draw-chart";
import { DashboardCards } from "@/components/dashboards/dashboard-cards";
import { DashboardMenu } from "@/components/dashboards/dashboard-menu";
import { DashboardNotice, DeletedDashboard } from "@/components/dashboards/dashboard-notice";
import { useDashboardTabs, withTab } from "@/components/dashboards/dashboard-tabs";
import { toFailure } from "@/components/dashboards/data-reader";
import { FilterBar } from "@/components/dashboards/filter-bar";
import { useDashboardChoice } from "@/components/dashboards/use-dashboard-choice";
import { useDashboardData } from "@/components/dashboards/use-dashboard-data";
import { useDashboardNews } from "@/components/dashboards/use-dashboard-news";
import { toDashboardDataKey, useDashboard, useDashboardSource } from "@/components/dashboards/use-dashboards";
import { useOwnDraft } from "@/components/dashboards/use-own-draft";
import { usePlacedDashboards } from "@/components/dashboards/use-placed-dashboards";
import { WidgetMenu } from "@/components/dashboards/widget-menu";
import type { WidgetPress } from "@/components/dashboards/widget-press";
import { Page } from "@/components/layout/page";
import { useFrame } from "@/components/layout/use-frame";
import { useWorkspace } from "@/components/layout/workspace-context";
import { CannotOpen } from "@/components/ui/cannot-open";
import { lazyComponent } from "@/components/ui/lazy-component";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { Menu, MenuItem, MenuLine } from "@/components/ui/menu";
import { NameInput } from "@/components/ui/name-input";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { useNow } from "@/components/ui/use-browser";
import { zoneOf } from "@/lib/base/charts/moments";
import { hasTimes } from "@/lib/base/charts/widget-period";
import { dashboardApi, type FilterChoice, type ValuesAsk } from "@/lib/features/dashboards/browser/client";
import { type ClickValue, toClickKey } from "@/lib/features/dashboards/browser/dashboard-choice";
import { hasOldRows } from "@/lib/features/dashboards/browser/old-rows";
import { readsData, traitsOf } from "@/lib/features/dashboards/kinds/traits";
import type { Dashboard, Widget, WidgetData } from "@/lib/features/dashboards/schema";
import { isGoing } from "@/lib/features/flows/browser/flow-words";
import { toLocationText } from "@/lib/features/folders/browser/item-tree";
import type { Grain } from "@/lib/features/results/crossfilter/words";
import { runsApi } from "@/lib/features/runs/browser/client";
import { toScheduleWords } from "@/lib/features/runs/browser/schedule-words";
import type { Run } from "@/lib/features/runs/schema";
import { formatDuration } from "@/lib/platform/browser/format";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";
import { later } from "@/lib/platform/browser/load-again";
import { ApiError } from "@/lib/platform/browser/request";
import "./dashboards.css";

const loadMoveDialog = later(() => import("@/components/folders/move-dialog"));
const MoveDialog = lazyComponent(loadMoveDialog, (module) => module.MoveDialog);

const loadSnapshots = later(() => import("@/components/dashboards/snapshots"));
const Snapshots = lazyComponent(loadSnapshots, (module) => module.Snapshots);
const loadShareDialog = later(() => import("@/components/shares/share-dialog"));
const ShareDialog = lazyComponent(loadShareDialog, (module) => module.ShareDialog);

const loadRefreshDialog = later(() => import("@/components/dashboards/refresh-dialog"));
const RefreshDialog = lazyComponent(loadRefreshDialog, (module) => module.RefreshDialog);

const loadRows = later(() => import("@/components/dashboards/widget-source-rows"));
const WidgetSourceRows = lazyComponent(loadRows, (module) => module.WidgetSourceRows);

const loadZoom = later(() => import("@/components/dashboards/widget-zoom"));
const WidgetZoom = lazyComponent(loadZoom, (module) => module.WidgetZoom);

const loadDraftNotice = later(() => import("@/components/dashboards/draft-notice"));
const DraftNotice = lazyComponent(loadDraftNotice, (module) => module.DraftNotice);

const loadPagePicture = later(() => import("@/components/dashboards/page-picture"));

const AGE_EVERY_MS = 15_000;
/** Waits longer than this show their duration. */
const LONG_WAIT_MS = 5000;
const WAIT_EVERY_MS = 1000;

/** A dashboard in view mode. Its definition and its data are requested in parallel, from the address alone. */
export function DashboardView({ dashboardId }: { dashboardId: string }) {
  const { workspace } = useWorkspace();
  const isWall = useSearchParams().get("wall") === "1";
  const { times } = useFrame().frame;
  const timezone = zoneOf({ times }) ?? "UTC";
  const dashboard = useDashboard(dashboardId);
  const choice = useDashboardChoice();
  const reading = useDashboardData(dashboardId, { asked: choice.ask, timezone, isWall });
  useEffect(prepareCharts, []);
  const root = `/w/${workspace.slug}/dashboards`;
  const { error, data } = dashboard;
  const [news, dismissNews] = useDashboardNews(data);
  if (error instanceof ApiError && (error.status === 404 || error.status === 400)) {
    if (news?.isDeleted) return <DeletedDashboard news={news} />;
    return <CannotOpen what="dashboard" back={{ href: root, label: "Back to dashboards" }} />;
  }
  if (!data) {
    return (
      <div className="dashboard-host">
        <Page title="Dashboard" isWide>
          {error ? (
            <LoadFailure error={error} onRetry={() => dashboard.refetch()} />
          ) : (
            <ListSkeleton label="Loading dashboard" />
          )}
        </Page>
      </div>
    );
  }
  const notice =
    !isWall && news && !news.isDeleted && news.before.version < data.version ? (
      <div className="dashboard-said">
        <DashboardNotice news={news} dashboard={data} effect="" onDismiss={dismissNews} />
      </div>
    ) : null;
  return (
    <Loaded dashboard={data} choice={choice} reading={reading} timezone={timezone} isWall={isWall} notice={notice} />
  );
}

type LoadedProps = {
  dashboard: Dashboard;
  choice: ReturnType<typeof useDashboardChoice>;
  reading: ReturnType<typeof useDashboardData>;
  timezone: string;
  isWall: boolean;
  /** Change of the dashboard by someone else. */
  notice: ReactNode;
};

function Loaded({ dashboard, choice, reading, timezone, isWall, notice }: LoadedProps) {
  const { workspace } = useWorkspace();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const find = useMemo(() => () => dashboard, [dashboard]);
  const placed = usePlacedDashboards(find);
  const { id, title, description, widgets } = dashboard;
  const root = `/w/${workspace.slug}/dashboards`;
  const place = toLocationText(dashboard);
  useEffect(() => {
    document.title = `${title} - Millrace`;
  }, [title]);
  const { data, again } = reading;
  const error = toFailure(reading);
  const { draft, discard } = useOwnDraft(dashboard, !isWall);
  const { lastRun } = dashboard;
  const run = reading.run ?? (lastRun !== null && isGoing(lastRun) ? lastRun : null);
  const source = useMemo(
    () => ({
      key: toDashboardDataKey(workspace.id, id),
      read: (filterId: string, ask: ValuesAsk, signal: AbortSignal) =>
        dashboardApi.readFilterValues(workspace.id, id, filterId, ask, signal),
    }),
    [workspace.id, id],
  );
  const pageRef = useRef<HTMLDivElement>(null);
  const heading =
    dialog === "name" ? (
      <NameInput
        label="Dashboard name"
        value={title}
        onDone={(typed) => {
          setDialog(null);
          if (typed !== null) placed.rename(dashboard, typed);
        }}
      />
    ) : (
      title
    );
  const trail = (
    <>
      <Link href={root}>Dashboards</Link> / {place}
    </>
  );
  const actions = (
    <>
      <span className="row dashboard-now">
        <Age widgets={data} error={error} run={run} sinceMs={reading.sinceMs} dashboard={dashboard} />
        {run !== null && !isWall && <CancelRefresh key={run.id} run={run} />}
      </span>
      {isWall ? (
        <button type="button" className="btn ghost sm wall-leave" onClick={() => choice.setWall(false)}>
          Exit TV mode
        </button>
      ) : (
        <Actions
          dashboard={dashboard}
          placed={placed}
          onDialog={setDialog}
          onRefresh={() => void reading.refresh()}
          onWall={() => choice.setWall(true)}
          onPicture={() => void savePicture(title, pageRef.current)}
        />
      )}
    </>
  );
  return (
    <div ref={pageRef} className="dashboard-host">
      <Page title={heading} trail={isWall ? undefined : trail} actions={actions} isWide>
        {notice}
        {draft !== null && (
          <DraftNotice
            draft={draft}
            editLink={<EditLink dashboard={dashboard} label="Continue editing" className="btn sm" />}
            onDiscard={() => void discard()}
          />
        )}
        {description !== "" && <p className="lead dashboard-lead">{description}</p>}
        <FilterBar
          filters={dashboard.filters}
          widgets={widgets}
          source={source}
          choice={choice}
          timezone={timezone}
          hasTimes={hasTimes(widgets.map(({ kind, spec }) => ({ spec: traitsOf(kind).toPlain(spec) })))}
        />
        {error !== null && <ReadFailure error={error} isOlder={data !== null} onRetry={again} />}
        {widgets.length === 0 ? (
          <NoWidgets dashboard={dashboard} />
        ) : (
          <Widgets dashboard={dashboard} choice={choice} reading={reading} isWall={isWall} />
        )}
      </Page>
      <Dialogs
        dashboard={dashboard}
        open={dialog}
        placed={placed}
        asked={choice.ask}
        isRefreshing={run !== null}
        onRefresh={() => void reading.refresh()}
        onClose={() => setDialog(null)}
      />
    </div>
  );
}

/** Dialog over the dashboard; the name is typed in the heading. */
type Dialog = "name" | "move" | "share" | "schedule";
type Placed = ReturnType<typeof usePlacedDashboards>;

async function savePicture(title: string, host: HTMLElement | null): Promise<void> {
  const shown = host?.querySelector<HTMLElement>(".page-in");
  try {
    const { savePageAs } = await loadPagePicture();
    if (!shown) return;
    await savePageAs(title, shown);
    announce("PNG exported");
  } catch {
    showFailure("Couldn't export the PNG. Print the dashboard, or export single widgets.");
  }
}

type EditLinkProps = { dashboard: Dashboard; label?: string; className?: string };

function EditLink({ dashboard: { id, widgets }, label = "Edit", className = "btn" }: EditLinkProps) {
  const { workspace } = useWorkspace();
  const { open } = useDashboardTabs(widgets);
  return (
    <Link className={className} href={withTab(`/w/${workspace.slug}/dashboards/${id}/edit`, open)}>
      <Pencil className="s" />
      {label}
    </Link>
  );
}

type ActionsProps = {
  dashboard: Dashboard;
  placed: Placed;
  onDialog: (dialog: Dialog) => void;
  onRefresh: () => void;
  onWall: () => void;
  onPicture: () => void;
};

function Actions({ dashboard, placed, onDialog, onRefresh, onWall, onPicture }: ActionsProps) {
  return (
    <>
      <button type="button" className="btn" onClick={() => onDialog("share")}>
        <Share2 className="s" />
        Share
      </button>
      <EditLink dashboard={dashboard} />
      <Menu
        align="end"
        trigger={
          <button type="button" className="btn icon" aria-label="Dashboard actions">
            <Ellipsis />
          </button>
        }
      >
        <MenuItem icon={<RotateCw />} onSelect={onRefresh}>
          Refresh
        </MenuItem>
        <MenuItem icon={<CalendarClock />} onSelect={() => onDialog("schedule")}>
          Schedule refresh
        </MenuItem>
        <MenuItem icon={<Maximize />} onSelect={onWall}>
          Open TV mode
        </MenuItem>
        <MenuItem icon={<ImageDown />} onSelect={onPicture}>
          Export PNG
        </MenuItem>
        <MenuItem icon={<Printer />} onSelect={() => window.print()}>
          Print or export PDF
        </MenuItem>
        <MenuLine />
        <DashboardMenu
          dashboard={dashboard}
          placed={placed}
          onRename={() => onDialog("name")}
          onMove={() => onDialog("move")}
        />
      </Menu>
    </>
  );
}

function ReadFailure({ error, isOlder, onRetry }: { error: unknown; isOlder: boolean; onRetry: () => void }) {
  return (
    <div className="dashboard-said">
      <Notice
        kind="bad"
        role="alert"
        action={
          <button type="button" className="btn sm" onClick={onRetry}>
            Retry
          </button>
        }
      >
        {isOlder ? "Showing older data. " : ""}
        {toMessage(error)}
      </Notice>
    </div>
  );
}

function NoWidgets({ dashboard }: { dashboard: Dashboard }) {
  return (
    <div className="empty blank">
      <span className="empty-mark">
        <LayoutDashboard />
      </span>
      <h2>No widgets yet</h2>
      <p>Add a chart, number, table or text.</p>
      <div className="row">
        <EditLink dashboard={dashboard} />
      </div>
    </div>
  );
}

function Widgets({ dashboard, choice, reading, isWall }: Omit<LoadedProps, "timezone" | "notice">) {
  /** The mark whose rows are shown: a widget, and the page's filters with the mark's own. */
  const [rowsOf, setRowsOf] = useState<{ widget: Widget; choice: FilterChoice } | null>(null);
  const [zoomed, setZoomed] = useState<{ widget: Widget; choice: FilterChoice; grain: Grain } | null>(null);
  const drillOf = (widget: Widget): Pick<WidgetPress, "showRows" | "zoomIn"> => {
    if (isWall) return {};
    const choiceOf = (click: ClickValue | null) => ({ ...choice.choice, [toClickKey(widget.id)]: click });
    return {
      showRows: (click) => setRowsOf({ widget, choice: choiceOf(click) }),
      // The rows of a metric are grouped already.
      ...(!(widget.source && "metrics" in widget.source) && {
        zoomIn: (click, grain) => setZoomed({ widget, choice: choiceOf(click), grain }),
      }),
    };
  };
  return (
    <>
      <DashboardCards
        widgets={dashboard.widgets}
        reading={reading}
        choice={choice}
        onEnter={reading.enter}
        onLeave={reading.leave}
        drillOf={drillOf}
        menuOf={(widget) =>
          isWall || !readsData(widget) ? null : (
            <WidgetMenu
              dashboard={dashboard}
              widget={widget}
              data={reading.data?.get(widget.id)}
              choice={choice.choice}
              period={choice.ask}
              zoomIn={drillOf(widget).zoomIn}
            />
          )
        }
      />
      {zoomed !== null && <WidgetZoom dashboardId={dashboard.id} {...zoomed} onClose={() => setZoomed(null)} />}
      {rowsOf !== null && <WidgetSourceRows dashboardId={dashboard.id} {...rowsOf} onClose={() => setRowsOf(null)} />}
    </>
  );
}

type DialogsProps = {
  dashboard: Dashboard;
  open: Dialog | null;
  placed: Placed;
  asked: LoadedProps["choice"]["ask"];
  isRefreshing: boolean;
  onRefresh: () => void;
  onClose: () => void;
};

function Dialogs({ dashboard, open, placed, asked, isRefreshing, onRefresh, onClose }: DialogsProps) {
  const { workspace } = useWorkspace();
  const source = useDashboardSource();
  const { id, title } = dashboard;
  if (open === "schedule") {
    return <RefreshDialog dashboard={dashboard} isRefreshing={isRefreshing} onRefresh={onRefresh} onClose={onClose} />;
  }
  if (open === "share") {
    const shared = {
      id,
      title,
      access: dashboard.access,
      lead: "Viewers see data and filters, never queries, connections or people.",
      canEmbed: true,
      read: (signal: AbortSignal) => dashboardApi.readShare(workspace.id, id, signal),
      put: (body: Parameters<typeof dashboardApi.putShare>[2]) => dashboardApi.putShare(workspace.id, id, body),
      remove: () => dashboardApi.removeShare(workspace.id, id),
      beside: <Snapshots dashboard={dashboard} asked={asked} />,
    };
    return <ShareDialog shared={shared} onClose={onClose} />;
  }
  if (open !== "move") return null;
  return (
    <MoveDialog
      name={title}
      from={dashboard}
      source={source}
      folderId={null}
      onMove={(to, name) => void placed.move({ ...dashboard, name: title }, to, name)}
      onClose={onClose}
    />
  );
}

/** Age of the oldest rows on the page, the next refresh, and whether the last refresh failed. */
function Age({
  widgets,
  error,
  run,
  sinceMs,
  dashboard: { schedule, lastRun },
}: {
  widgets: ReadonlyMap<string, WidgetData> | null;
  error: unknown;
  /** The running refresh. */
  run: Run | null;
  /** Start of the wait for rows. */
  sinceMs: number | null;
  dashboard: Pick<Dashboard, "schedule" | "lastRun">;
}) {
  const now = useNow(true, run === null && sinceMs === null ? AGE_EVERY_MS : WAIT_EVERY_MS);
  const times = [...(widgets?.values() ?? [])].flatMap(({ cachedAt }) => (cachedAt === null ? [] : [cachedAt])).sort();
  const [oldest] = times;
  if (now === null) return null;
  const beganMs = run === null ? sinceMs : Date.parse(run.startedAt ?? run.createdAt);
  const waitedMs = beganMs === null ? 0 : now - beganMs;
  if (run !== null || waitedMs > LONG_WAIT_MS) {
    return (
      <span className="st run dashboard-age" role="status">
        <RotateCw className="s" />
        <span>
          {run !== null ? "Refreshing" : widgets === null ? "Loading data" : "Loading"}
          {/* Hidden from screen readers: a ticking clock would interrupt them. */}
          {waitedMs > LONG_WAIT_MS && <span aria-hidden="true">, {toWaited(waitedMs)}</span>}
        </span>
      </span>
    );
  }
  if (oldest === undefined) return null;
  const at = new Date(oldest);
  const words = schedule?.enabled ? toScheduleWords(schedule.cron) : null;
  const hasFailed = lastRun?.status === "failure";
  const isOld = hasFailed || error !== null || [...(widgets?.values() ?? [])].some(hasOldRows);
  return (
    <span
      className={`st ${isOld ? "warn" : "wait"} dashboard-age`}
      title={`Oldest data: ${formatStamp(at)}${hasFailed && lastRun.error ? `. ${lastRun.error}` : ""}`}
    >
      {isOld ? <TriangleAlert className="s" /> : <RotateCw className="s" />}
      <span className="trunc">
        {hasFailed ? "Refresh failed, data from" : isOld ? "Some data is stale, from" : "Refreshed"}{" "}
        {formatAgo(at, new Date(now))}
        {words !== null && `, ${words.charAt(0).toLowerCase()}${words.slice(1)}`}
      </span>
    </span>
  );
}

/** Formats whole seconds: a tenth that stays the same would be distracting. */
function toWaited(ms: number): string {
  return ms < 60_000 ? `${Math.floor(ms / 1000)} s` : formatDuration(Math.floor(ms / 1000) * 1000);
}

/** Cancels the running refresh for everyone; the previous rows stay. */
function CancelRefresh({ run }: { run: Run }) {
  const { workspace } = useWorkspace();
  const cancel = useMutation({
    mutationFn: () => runsApi.cancel(workspace.id, run),
    onError: (error) => showFailure(toMessage(error)),
  });
  const isAsked = cancel.isPending || cancel.isSuccess || run.cancelRequestedAt !== null;
  return (
    <button type="button" className="btn ghost sm" disabled={isAsked} onClick={() => cancel.mutate()}>
      {isAsked ? "Cancelling" : "Cancel"}
    </button>
  );
}
