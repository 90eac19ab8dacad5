"use client";

import { Activity as ActivityIcon, Pause, Play, Waves } from "lucide-react";
import { Fragment } from "react";
import { ActivityFilters } from "@/components/activity/activity-filters";
import { ActivityRow } from "@/components/activity/activity-row";
import { ExportActivity } from "@/components/activity/export-activity";
import { readFilter } from "@/components/activity/filters";
import { RunHours } from "@/components/activity/run-hours";
import { useActivity } from "@/components/activity/use-activity";
import { useConnectionsOf } from "@/components/activity/use-connections-of";
import { useHeld } from "@/components/activity/use-held";
import { Page } from "@/components/layout/page";
import { useAddress, useOwnSteps } from "@/components/layout/use-address";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ListTable } from "@/components/ui/list-table";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { useStaleSince } from "@/components/ui/use-browser";
import { type Activity, beginOf, isLike, resourceTypeOf, stateOf } from "@/lib/features/runs/browser/activity";
import { toGroups } from "@/lib/features/runs/browser/activity-groups";
import { formatCount } from "@/lib/platform/browser/format";
import "./activity.css";

const HEADS = [
  "Status",
  "Name",
  "Started by",
  "Started",
  { name: "Duration", isNumber: true },
  { name: "Rows", isNumber: true },
  "Details",
];

const COLUMNS = 7;

/**
 * Lists everything that runs, ran or was sent in the workspace and that the reader may see. The address holds the
 * filters.
 */
export function ActivityView() {
  const { user } = useWorkspace();
  const { query, put: putAll } = useAddress();
  useOwnSteps();
  const put = (name: string, value: string | null) => putAll({ [name]: value });
  const filter = readFilter(query, user.id);
  const activity = useActivity(filter.kind);
  const { failed } = activity;
  const held = useHeld(activity.items, filter.kind ?? "all");
  const { items } = held;
  const { connectionsOf, isPending: isAsking } = useConnectionsOf(items, filter.connectionId !== null);
  const isPending = activity.isPending || isAsking;
  const facts = { now: new Date(), connectionsOf };
  const shown = isPending ? [] : items.filter((item) => isLike(item, filter, facts));
  // Items older than the filter's period need not be loaded.
  const isWhole = (items.at(-1)?.at ?? "") < (beginOf(filter, facts.now) ?? "");
  const pages = { ...activity.pages, hasNextPage: activity.pages.hasNextPage && !(items.length > 0 && isWhole) };
  const bad = shown.filter((item) => stateOf(item) === "bad").length;
  const count = `${formatCount(shown.length)}${pages.hasNextPage ? "+" : ""} shown${bad > 0 ? `, ${formatCount(bad)} failed` : ""}`;
  return (
    <Page
      title="Activity"
      isWide
      actions={
        <>
          <HoldButton held={held} />
          {items.length > 0 && <ExportActivity filter={filter} />}
        </>
      }
    >
      <ActivityFilters filter={filter} put={put} count={!isPending && items.length > 0 ? count : null} />
      {filter.kind !== "query" && filter.kind !== "delivery" && <RunHours resourceType={resourceTypeOf(filter.kind)} />}
      {isPending && <ListSkeleton label="Loading activity" rows={8} rowPx={36} />}
      {failed && <LoadFailure error={failed.error ?? new Error()} onRetry={() => void failed.refetch()} />}
      {!isPending && !failed && items.length === 0 && !pages.hasNextPage && <NoActivity />}
      {!isPending && items.length > 0 && shown.length === 0 && (
        <p className="t2 no-hit">
          {pages.hasNextPage
            ? `No matches in the latest ${formatCount(items.length)}. Load more to search further back.`
            : "No matching activity."}
        </p>
      )}
      {shown.length > 0 && <ActivityTable items={shown} openId={query.get("open")} onOpen={(id) => put("open", id)} />}
      <LoadMore pages={pages} className="btn more" />
    </Page>
  );
}

/** Live state of the list, with a button that holds it. */
function HoldButton({ held: { items, isHeld, newCount, hold, release } }: { held: ReturnType<typeof useHeld> }) {
  const staleSince = useStaleSince();
  return (
    <>
      {staleSince === null && !isHeld && (
        <span className="st run">
          <Waves className="s" />
          Live
        </span>
      )}
      {items.length > 0 && (
        <button type="button" className="btn ghost" onClick={isHeld ? release : hold}>
          {isHeld ? <Play className="s" /> : <Pause className="s" />}
          {isHeld ? `Resume${newCount > 0 ? `, ${formatCount(newCount)} new` : ""}` : "Pause"}
        </button>
      )}
    </>
  );
}

function NoActivity() {
  return (
    <div className="empty blank">
      <span className="empty-mark">
        <ActivityIcon />
      </span>
      <h2>No activity yet</h2>
      <p>Queries, runs and deliveries appear here.</p>
    </div>
  );
}

type ActivityTableProps = {
  items: Activity[];
  /** Item whose details are shown. */
  openId: string | null;
  onOpen: (id: string | null) => void;
};

function ActivityTable({ items, openId, onOpen }: ActivityTableProps) {
  return (
    <ListTable label="Activity" className="activity" columns={HEADS}>
      {toGroups(items, new Date()).map(({ name, items: group }) => (
        <tbody key={name}>
          <tr className="activity-group">
            <th colSpan={COLUMNS} scope="rowgroup">
              {name}
            </th>
          </tr>
          {group.map((item) => (
            <Fragment key={`${item.kind} ${item.id}`}>
              <ActivityRow
                item={item}
                isOpen={item.id === openId}
                onToggle={() => onOpen(item.id === openId ? null : item.id)}
              />
            </Fragment>
          ))}
        </tbody>
      ))}
    </ListTable>
  );
}
