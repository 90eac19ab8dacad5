"use client";

import { Activity as ActivityIcon, Search, Waves } from "lucide-react";
import { Fragment } from "react";
import { ActivityRow } from "@/components/activity/activity-row";
import { ExportActivity } from "@/components/activity/export-activity";
import { KINDS, readFilter, STATES } from "@/components/activity/filters";
import { RunHours } from "@/components/activity/run-hours";
import { useActivity } from "@/components/activity/use-activity";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { Select } from "@/components/ui/select";
import { useStaleSince } from "@/components/ui/use-browser";
import { Page } from "@/components/workspace/page";
import { useAddress } from "@/components/workspace/use-address";
import { useWorkspace } from "@/components/workspace/workspace-context";
import { type Activity, isLike, stateOf } from "@/lib/ui/activity";
import { formatCount } from "@/lib/ui/format";
import "./activity.css";

const ANY = "any";
const COLUMNS = 7;
const GROUPS = ["In motion", "Today", "Yesterday", "Earlier"] as const;

/** Everything that runs, ran or was sent in the workspace, as far as the reader may see it. Filters stand in the address. */
export function ActivityView() {
  const { user } = useWorkspace();
  const staleSince = useStaleSince();
  const { query, put: putAll } = useAddress();
  const filter = readFilter(query, user.id);
  const { items, isPending, failed, pages } = useActivity(filter.kind);
  const shown = items.filter((item) => isLike(item, filter));
  const bad = shown.filter((item) => stateOf(item) === "bad").length;
  const isFiltered = filter.kind !== null || filter.state !== null || filter.userId !== null || filter.text !== "";
  const openId = query.get("open");
  const put = (name: string, value: string | null) => putAll({ [name]: value });
  return (
    <Page
      title="Activity"
      isWide
      actions={
        <>
          {staleSince === null && (
            <span className="st run">
              <Waves className="s" />
              Live
            </span>
          )}
          {items.length > 0 && <ExportActivity filter={filter} />}
        </>
      }
    >
      <search className="row activity-filters">
        <div className="activity-pick">
          <Select
            label="State"
            size="sm"
            value={filter.state ?? ANY}
            options={[{ value: ANY, label: "Any state" }, ...STATES.map(({ value, name }) => ({ value, label: name }))]}
            onChange={(value) => put("state", value === ANY ? null : value)}
          />
        </div>
        <div className="activity-pick">
          <Select
            label="Kind"
            size="sm"
            value={filter.kind ?? ANY}
            options={[{ value: ANY, label: "Any kind" }, ...KINDS.map(({ value, name }) => ({ value, label: name }))]}
            onChange={(value) => put("kind", value === ANY ? null : value)}
          />
        </div>
        <div className="activity-pick">
          <Select
            label="By"
            size="sm"
            value={filter.userId === null ? ANY : "me"}
            options={[
              { value: ANY, label: "By anyone" },
              { value: "me", label: "By me" },
            ]}
            onChange={(value) => put("by", value === ANY ? null : value)}
          />
        </div>
        <div className="input quiet sm activity-find">
          <Search className="s t3" />
          <input
            type="search"
            aria-label="Name, error or id"
            placeholder="Name, error or id"
            value={filter.text}
            onChange={({ target }) => put("q", target.value === "" ? null : target.value)}
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
      {filter.kind !== "query" && filter.kind !== "delivery" && (
        <RunHours
          resourceType={filter.kind === "flow" ? "flow" : filter.kind === "console" ? "scheduled_query" : undefined}
        />
      )}
      {isPending && <ListSkeleton label="Reading the activity" rows={8} rowPx={36} />}
      {failed && <LoadFailure error={failed.error ?? new Error()} onRetry={() => void failed.refetch()} />}
      {!isPending && !failed && items.length === 0 && !pages.hasNextPage && (
        <div className="empty blank">
          <span className="empty-mark">
            <ActivityIcon />
          </span>
          <h2>Nothing has run yet</h2>
          <p>Queries, scheduled consoles, flows and what was sent of them appear here as they go.</p>
        </div>
      )}
      {items.length > 0 && shown.length === 0 && (
        <p className="t2 no-hit">
          {isFiltered && pages.hasNextPage
            ? `Nothing like this is among the newest ${formatCount(items.length)}. Load more to look further back.`
            : "Nothing is like this."}
        </p>
      )}
      {shown.length > 0 && (
        <table className="list fold activity" aria-label="Activity">
          <thead>
            <tr>
              <th>Status</th>
              <th>What</th>
              <th>By</th>
              <th>Started</th>
              <th className="r">Took</th>
              <th className="r">Rows</th>
              <th>Detail</th>
            </tr>
          </thead>
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
        </table>
      )}
      <LoadMore pages={pages} className="btn more" />
    </Page>
  );
}

/** What is in motion first, then by days. */
function toGroups(items: Activity[], now: Date): { name: string; items: Activity[] }[] {
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  const groups = Map.groupBy(items, (item): (typeof GROUPS)[number] => {
    if (stateOf(item) === "motion") return "In motion";
    const day = new Date(item.at).toDateString();
    if (day === now.toDateString()) return "Today";
    return day === yesterday.toDateString() ? "Yesterday" : "Earlier";
  });
  return GROUPS.flatMap((name) => {
    const group = groups.get(name);
    return group ? [{ name, items: group }] : [];
  });
}
