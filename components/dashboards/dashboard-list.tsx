"use client";

import { FileUp, LayoutDashboard, Lock, Plus, Star, Users } from "lucide-react";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useMemo, useState } from "react";
import { DashboardMenu } from "@/components/dashboards/dashboard-menu";
import { useNewDashboard } from "@/components/dashboards/use-dashboard-actions";
import {
  RECENT_MAX,
  useDashboardSource,
  useDashboardsById,
  useDashboardsByName,
  useRecentDashboards,
} from "@/components/dashboards/use-dashboards";
import { usePlacedDashboards } from "@/components/dashboards/use-placed-dashboards";
import { NavFind } from "@/components/layout/nav-find";
import { Page } from "@/components/layout/page";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { lazyComponent } from "@/components/ui/lazy-component";
import { ListRow } from "@/components/ui/list-row";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ACTIONS, ListTable } from "@/components/ui/list-table";
import { LoadFailure } from "@/components/ui/load-failure";
import { NameInput } from "@/components/ui/name-input";
import { NoneShown } from "@/components/ui/none-shown";
import { useIsPhone, useNow } from "@/components/ui/use-browser";
import { useLater } from "@/components/ui/use-later";
import type { DashboardSummary } from "@/lib/features/dashboards/schema";
import { toTrail } from "@/lib/features/folders/browser/item-tree";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";
import { later } from "@/lib/platform/browser/load-again";
import "./dashboards.css";

const loadImport = later(() => import("@/components/dashboards/import-dashboard"));
const ImportDashboard = lazyComponent(loadImport, (module) => module.ImportDashboard);
const loadMoveDialog = later(() => import("@/components/folders/move-dialog"));
const MoveDialog = lazyComponent(loadMoveDialog, (module) => module.MoveDialog);

const AGE_EVERY_MS = 30_000;
const HEADS = ["Dashboard", "Folder", "Visibility", "Updated", ACTIONS];
const NONE: DashboardSummary[] = [];
const NO_IDS: string[] = [];

/** Pause in typing before the server is asked. */
const SEARCH_AFTER_MS = 150;

/** The dashboards saved last; a search finds all that the user can see. */
export function DashboardList() {
  const { workspace } = useWorkspace();
  const list = useRecentDashboards();
  const source = useDashboardSource();
  const search = (useSearchParams().get("q") ?? "").trim();
  const isPhone = useIsPhone();
  const newDashboard = useNewDashboard();
  const asked = useLater(search, SEARCH_AFTER_MS);
  const named = useDashboardsByName(asked);
  const all = list.data ?? NONE;
  const isPart = all.length >= RECENT_MAX;
  const found = named.data ?? NONE;
  const favourites = useWorkbench()?.favouriteDashboards ?? NO_IDS;
  const marked = useDashboardsById(favourites).data ?? NONE;
  const known = useMemo(
    () => new Map([...marked, ...found, ...all].map((each) => [each.id, each])),
    [marked, found, all],
  );
  const find = useMemo(() => (id: string) => known.get(id), [known]);
  const placed = usePlacedDashboards(find);
  const [isImporting, setIsImporting] = useState(false);
  const [movingId, setMovingId] = useState<string | null>(null);
  const moving = find(movingId ?? "");
  const root = `/w/${workspace.slug}/dashboards`;
  const foundIds = new Set(search === asked ? found.map(({ id }) => id) : []);
  const isHit = ({ title, path }: DashboardSummary) => `${title} ${path}`.toLowerCase().includes(search.toLowerCase());
  const shown = [...known.values()]
    .filter((each) => foundIds.has(each.id) || isHit(each))
    .sort(
      (a, b) =>
        Number(favourites.includes(b.id)) - Number(favourites.includes(a.id)) || b.updatedAt.localeCompare(a.updatedAt),
    );
  const add = (
    <button type="button" className="btn primary" onClick={() => void newDashboard()}>
      <Plus className="s" />
      New dashboard
    </button>
  );
  const bring = (
    <button type="button" className="btn" onClick={() => setIsImporting(true)}>
      <FileUp className="s" />
      Import dashboard
    </button>
  );
  return (
    <Page
      title="Dashboards"
      count={isPart ? undefined : list.data?.length}
      actions={
        all.length > 0 && (
          <>
            {bring}
            {add}
          </>
        )
      }
      isWide
    >
      {list.isPending && <ListSkeleton label="Loading dashboards" />}
      {list.isError && !list.data && <LoadFailure error={list.error} onRetry={() => list.refetch()} />}
      {list.isSuccess && all.length === 0 && (
        <div className="empty blank">
          <span className="empty-mark">
            <LayoutDashboard />
          </span>
          <h2>No dashboards yet</h2>
          <p>Turn query results into charts, numbers and tables for your team.</p>
          <div className="row">
            {add}
            <Link className="btn" href={`/w/${workspace.slug}`}>
              Open console
            </Link>
            {bring}
          </div>
        </div>
      )}
      {/* On wider screens the explorer has it, which a phone does not show. */}
      {isPhone && all.length > 0 && (
        <div className="dashboard-phone-find">
          <NavFind label="Search dashboards" root={root} />
        </div>
      )}
      {all.length > 0 && shown.length === 0 && search === asked && !named.isFetching && (
        <NoneShown noun="dashboard" search={search} alsoBy="folder" href={root} />
      )}
      {shown.length > 0 && (
        <ListTable label="Dashboards" className="dashboards" columns={HEADS}>
          <tbody>
            {shown.map((each) => (
              <Row
                key={each.id}
                dashboard={each}
                isFavourite={favourites.includes(each.id)}
                placed={placed}
                onMove={() => setMovingId(each.id)}
              />
            ))}
          </tbody>
        </ListTable>
      )}
      {isPart && search === "" && (
        <p className="xs t3 more">The {RECENT_MAX} dashboards saved last. Search or open a folder to find others.</p>
      )}
      {moving && (
        <MoveDialog
          name={moving.title}
          from={moving}
          source={source}
          folderId={null}
          onMove={(place, name) => void placed.move({ ...moving, name: moving.title }, place, name)}
          onClose={() => setMovingId(null)}
        />
      )}
      {isImporting && <ImportDashboard onClose={() => setIsImporting(false)} />}
    </Page>
  );
}

type RowProps = {
  dashboard: DashboardSummary;
  isFavourite: boolean;
  placed: ReturnType<typeof usePlacedDashboards>;
  onMove: () => void;
};

function Row({ dashboard, isFavourite, placed, onMove }: RowProps) {
  const { id, title, path, access, updatedAt } = dashboard;
  const now = useNow(true, AGE_EVERY_MS);
  const [isRenaming, setIsRenaming] = useState(false);
  const at = new Date(updatedAt);
  return (
    <ListRow
      name={title}
      renamePath={null}
      columns={HEADS.length}
      problem={null}
      action={null}
      menu={
        <DashboardMenu dashboard={dashboard} placed={placed} onRename={() => setIsRenaming(true)} onMove={onMove} />
      }
    >
      <td className="wrap">
        {isRenaming ? (
          <NameInput
            label="Dashboard name"
            value={title}
            onDone={(typed) => {
              setIsRenaming(false);
              if (typed !== null) placed.rename(dashboard, typed);
            }}
          />
        ) : (
          <Link className="row-link" href={placed.toAddress(id)}>
            {title}
            {isFavourite && <Star className="s favourite" aria-label="Favourite" />}
          </Link>
        )}
      </td>
      <td data-label="Folder" className="t2">
        {toTrail(path).join(" / ")}
      </td>
      <td data-label="Visibility">
        <span className="st wait">
          {access === "private" ? <Lock className="xs" /> : <Users className="xs" />}
          {access === "private" ? "Only you" : "Everyone"}
        </span>
      </td>
      <td data-label="Updated" className="t2 num" title={formatStamp(at)}>
        {now === null ? "" : formatAgo(at, new Date(now))}
      </td>
    </ListRow>
  );
}
