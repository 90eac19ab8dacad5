"use client";

import { Activity as ActivityIcon, Pause, Play, Search, Waves } from "lucide-react";
import { Fragment } from "react";
import { ActivityRow } from "@/components/activity/activity-row";
import { ExportActivity } from "@/components/activity/export-activity";
import { KINDS, PERIODS, readFilter, STATES } from "@/components/activity/filters";
import { RunHours } from "@/components/activity/run-hours";
import { useActivity } from "@/components/activity/use-activity";
import { useConnectionsOf } from "@/components/activity/use-connections-of";
import { useHeld } from "@/components/activity/use-held";
import { usePersonWords } from "@/components/activity/use-person-words";
import { Page } from "@/components/layout/page";
import { useAddress, useOwnSteps } from "@/components/layout/use-address";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useConnections } from "@/components/schema/use-schema";
import { useMemberNames } from "@/components/settings/use-settings";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ListTable } from "@/components/ui/list-table";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { Select } from "@/components/ui/select";
import { useStaleSince } from "@/components/ui/use-browser";
import { useTyped } from "@/components/ui/use-typed";
import { type Activity, beginOf, isLike, resourceTypeOf, stateOf } from "@/lib/features/runs/browser/activity";
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

const ANY = "any";
const COLUMNS = 7;
const GROUPS = ["Running", "Today", "Yesterday", "Earlier"] as const;

/**
 * Lists everything that runs, ran or was sent in the workspace and that the reader may see. The address holds the
 * filters.
 */
export function ActivityView() {
  const { user } = useWorkspace();
  const staleSince = useStaleSince();
  const { query, put: putAll } = useAddress();
  useOwnSteps();
  const filter = readFilter(query, user.id);
  const activity = useActivity(filter.kind);
  const { failed } = activity;
  const { items, isHeld, newCount, hold, release } = useHeld(activity.items, filter.kind ?? "all");
  const { data: connections = [] } = useConnections();
  const personWords = usePersonWords();
  const people = [user.id, ...[...useMemberNames().keys()].filter((id) => id !== user.id)];
  const { connectionsOf, isPending: isAsking } = useConnectionsOf(filter.connectionId !== null);
  const isPending = activity.isPending || isAsking;
  const facts = { now: new Date(), connectionsOf };
  const shown = isPending ? [] : items.filter((item) => isLike(item, filter, facts));
  // Items older than the filter's period need not be loaded.
  const isWhole = (items.at(-1)?.at ?? "") < (beginOf(filter, facts.now) ?? "");
  const pages = { ...activity.pages, hasNextPage: activity.pages.hasNextPage && !(items.length > 0 && isWhole) };
  const bad = shown.filter((item) => stateOf(item) === "bad").length;
  const openId = query.get("open");
  const put = (name: string, value: string | null) => putAll({ [name]: value });
  const [typed, type] = useTyped(filter.text, (text) => put("q", text === "" ? null : text));
  return (
    <Page
      title="Activity"
      isWide
      actions={
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
          {items.length > 0 && <ExportActivity filter={filter} connectionsOf={connectionsOf} />}
        </>
      }
    >
      <search className="row activity-filters">
        <div className="activity-pick">
          <Select
            label="Time"
            size="sm"
            value={filter.period ?? ANY}
            options={[{ value: ANY, label: "Any time" }, ...PERIODS.map(({ value, name }) => ({ value, label: name }))]}
            onChange={(value) => put("since", value === ANY ? null : value)}
          />
        </div>
        <div className="activity-pick">
          <Select
            label="Status"
            size="sm"
            value={filter.state ?? ANY}
            options={[
              { value: ANY, label: "Any status" },
              ...STATES.map(({ value, name }) => ({ value, label: name })),
            ]}
            onChange={(value) => put("state", value === ANY ? null : value)}
          />
        </div>
        <div className="activity-pick">
          <Select
            label="Type"
            size="sm"
            value={filter.kind ?? ANY}
            options={[{ value: ANY, label: "Any type" }, ...KINDS.map(({ value, name }) => ({ value, label: name }))]}
            onChange={(value) => put("kind", value === ANY ? null : value)}
          />
        </div>
        <div className="activity-pick">
          <Select
            label="Connection"
            size="sm"
            value={filter.connectionId ?? ANY}
            placeholder="Deleted connection"
            options={[
              { value: ANY, label: "Any connection" },
              ...connections.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(value) => put("connection", value === ANY ? null : value)}
          />
        </div>
        <div className="activity-pick">
          <Select
            label="Started by"
            size="sm"
            value={filter.userId ?? ANY}
            placeholder="Former member"
            options={[
              { value: ANY, label: "Anyone" },
              ...people.map((id) => ({ value: id, label: id === user.id ? "Me" : personWords(id) })),
            ]}
            onChange={(value) => put("by", value === ANY ? null : value === user.id ? "me" : value)}
          />
        </div>
        <div className="input quiet sm activity-find">
          <Search className="s t3" />
          <input
            type="search"
            aria-label="Search name, error or ID"
            placeholder="Search name, error or ID"
            value={typed}
            onChange={({ target }) => type(target.value)}
          />
        </div>
        <span className="grow" />
        {!isPending && items.length > 0 && (
          <span className="xs t3 num">
            {formatCount(shown.length)}
            {pages.hasNextPage ? "+" : ""} shown{bad > 0 && `, ${formatCount(bad)} failed`}
          </span>
        )}
      </search>
      {filter.kind !== "query" && filter.kind !== "delivery" && <RunHours resourceType={resourceTypeOf(filter.kind)} />}
      {isPending && <ListSkeleton label="Loading activity" rows={8} rowPx={36} />}
      {failed && <LoadFailure error={failed.error ?? new Error()} onRetry={() => void failed.refetch()} />}
      {!isPending && !failed && items.length === 0 && !pages.hasNextPage && (
        <div className="empty blank">
          <span className="empty-mark">
            <ActivityIcon />
          </span>
          <h2>No activity yet</h2>
          <p>Queries, runs and deliveries appear here.</p>
        </div>
      )}
      {!isPending && items.length > 0 && shown.length === 0 && (
        <p className="t2 no-hit">
          {pages.hasNextPage
            ? `No matches in the latest ${formatCount(items.length)}. Load more to search further back.`
            : "No matching activity."}
        </p>
      )}
      {shown.length > 0 && (
        <ListTable label="Activity" className="activity" columns={HEADS}>
          {toGroups(shown, new Date()).map(({ name, items: group }) => (
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
                    onToggle={() => put("open", item.id === openId ? null : item.id)}
                  />
                </Fragment>
              ))}
            </tbody>
          ))}
        </ListTable>
      )}
      <LoadMore pages={pages} className="btn more" />
    </Page>
  );
}

/** Groups running items first, then the others by day. */
function toGroups(items: Activity[], now: Date): { name: string; items: Activity[] }[] {
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  const groups = Map.groupBy(items, (item): (typeof GROUPS)[number] => {
    if (stateOf(item) === "motion") return "Running";
    const day = new Date(item.at).toDateString();
    if (day === now.toDateString()) return "Today";
    return day === yesterday.toDateString() ? "Yesterday" : "Earlier";
  });
  return GROUPS.flatMap((name) => {
    const group = groups.get(name);
    return group ? [{ name, items: group }] : [];
  });
}
