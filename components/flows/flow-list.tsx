"use client";

import { Plus, Workflow } from "lucide-react";
import Link from "next/link";
import { FlowRow } from "@/components/flows/flow-row";
import { isShown, SHOWS, type Show, toShow } from "@/components/flows/show";
import { useFlows } from "@/components/flows/use-flows";
import { NavFind } from "@/components/layout/nav-find";
import { Page } from "@/components/layout/page";
import { useAddress, useOwnSteps } from "@/components/layout/use-address";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ACTIONS, ListTable } from "@/components/ui/list-table";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { NoneShown } from "@/components/ui/none-shown";
import { Segments } from "@/components/ui/segments";
import { useIsPhone } from "@/components/ui/use-browser";
import { toCount } from "@/components/ui/use-pages";
import "./flows.css";

const HEADS = [
  "Flow",
  "Source and destination",
  "Last run",
  { name: "Rows", isNumber: true },
  { name: "Schedule", isOptional: true },
  { name: "Next", isOptional: true },
  ACTIONS,
];

const SHOW_WORDS: Record<Show, string> = { all: "All", moving: "Running", problems: "Failed", paused: "Paused" };

/** List of the workspace's flows. */
export function FlowList() {
  const { workspace } = useWorkspace();
  const flows = useFlows();
  const { query, put } = useAddress();
  useOwnSteps();
  const isPhone = useIsPhone();
  const root = `/w/${workspace.slug}/flows`;
  const all = flows.data ?? [];
  const show = toShow(query.get("show"));
  const search = query.get("q") ?? "";
  const shown = all.filter((each) => isShown(each, show, search));
  const add = (
    <Link className="btn primary" href={`${root}/new`}>
      <Plus className="s" />
      New flow
    </Link>
  );
  const choose = (next: Show) => put({ show: next === "all" ? null : next }, true);
  return (
    <Page title="Flows" count={toCount(flows)} actions={all.length > 0 && add} isWide>
      {flows.isPending && <ListSkeleton label="Loading flows" />}
      {flows.isError && !flows.data && <LoadFailure error={flows.error} onRetry={() => flows.refetch()} />}
      {flows.isSuccess && all.length === 0 && (
        <div className="empty blank">
          <span className="empty-mark">
            <Workflow />
          </span>
          <h2>No flows yet</h2>
          <p>A flow keeps a table up to date from a source, a query or a webhook.</p>
          <div className="row">{add}</div>
        </div>
      )}
      {/* On larger screens both are in the explorer, which a phone does not show. */}
      {isPhone && all.length > 0 && (
        <div className="flow-phone-find">
          <NavFind label="Search flows" root={root} />
          <Segments
            label="Filter by status"
            value={show}
            options={SHOWS.map((value) => ({ value, label: SHOW_WORDS[value] }))}
            onChange={choose}
          />
        </div>
      )}
      {all.length > 0 && shown.length === 0 && <NoneShown noun="flow" search={search} href={root} />}
      {shown.length > 0 && (
        <ListTable label="Flows" className="flows" isTall columns={HEADS}>
          <tbody>
            {shown.map((flow) => (
              <FlowRow key={flow.id} flow={flow} />
            ))}
          </tbody>
        </ListTable>
      )}
      <LoadMore pages={flows} label="Show more" className="btn more" />
    </Page>
  );
}
