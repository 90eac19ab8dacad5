"use client";

import { Database, FileUp, Plus, RefreshCw } from "lucide-react";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";
import { ConnectionRow } from "@/components/connections/connection-row";
import { ConnectionSearch } from "@/components/connections/connection-search";
import { isShown, toShow } from "@/components/connections/show";
import { useConnectionTypes } from "@/components/connections/use-connection-types";
import { NO_USES, useConnectionUses } from "@/components/connections/use-connection-uses";
import { Page } from "@/components/layout/page";
import { useOwnSteps } from "@/components/layout/use-address";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useConnections } from "@/components/schema/use-schema";
import { useMemberNames } from "@/components/settings/use-settings";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ACTIONS, ListTable } from "@/components/ui/list-table";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { NoneShown } from "@/components/ui/none-shown";
import { useIsPhone, useOutage } from "@/components/ui/use-browser";
import { toCount } from "@/components/ui/use-pages";
import { completeStep } from "@/lib/features/consoles/browser/workbench";
import "./connections.css";

const HEADS = [
  "Name",
  "Address",
  "Access",
  "Status",
  { name: "Used by", isOptional: true },
  { name: "Added by", isOptional: true },
  "Last tested",
  ACTIONS,
];

/** Lists the workspace's connections. */
export function ConnectionList() {
  const { workspace, workbench } = useWorkspace();
  const connections = useConnections();
  const types = useConnectionTypes();
  const names = useMemberNames();
  const uses = useConnectionUses(connections.data);
  const query = useSearchParams();
  useOwnSteps();
  const outage = useOutage();
  const isPhone = useIsPhone();
  /** Counts the clicks on "Test all": each row tests itself when it changes. */
  const [testRound, setTestRound] = useState(0);
  const root = `/w/${workspace.slug}/connections`;
  const all = connections.data ?? [];
  const show = toShow(query.get("show"));
  const search = query.get("q") ?? "";
  const shown = all.filter((each) => isShown(each, show, search));
  const hasOwn = all.some(({ config }) => config.sample !== true);
  useEffect(() => {
    if (hasOwn) workbench.change((each) => completeStep(each, "connect"));
  }, [hasOwn, workbench]);

  const add = (
    <Link className="btn primary" href={`${root}/new`}>
      <Plus className="s" />
      Add connection
    </Link>
  );
  const actions = (
    <>
      {shown.length > 0 && (
        <button
          type="button"
          className="btn"
          disabled={outage !== null}
          title={outage ?? undefined}
          onClick={() => setTestRound(testRound + 1)}
        >
          <RefreshCw className="s" />
          Test all
        </button>
      )}
      <Link className="btn" href={`${root}/import`}>
        <FileUp className="s" />
        Import file
      </Link>
      {add}
    </>
  );
  return (
    <Page title="Connections" count={toCount(connections)} actions={actions} isWide>
      {connections.isPending && <ListSkeleton label="Loading connections" />}
      {connections.isError && !connections.data && (
        <LoadFailure error={connections.error} onRetry={() => connections.refetch()} />
      )}
      {connections.isSuccess && all.length === 0 && (
        <div className="empty blank">
          <span className="empty-mark">
            <Database />
          </span>
          <h2>No connections yet</h2>
          <p>Connect a database to query it, or a service to sync from.</p>
          <div className="row">{add}</div>
        </div>
      )}
      {/* Elsewhere the explorer has the search, which a phone does not show. */}
      {isPhone && all.length > 0 && <ConnectionSearch />}
      {all.length > 0 && shown.length === 0 && (
        <NoneShown noun="connection" search={search} alsoBy="type" href={root} />
      )}
      {shown.length > 0 && (
        <ListTable label="Connections" className="connections" isTall columns={HEADS}>
          <tbody>
            {shown.map((connection) => (
              <ConnectionRow
                key={connection.id}
                connection={connection}
                type={types.data?.find(({ type }) => type === connection.type) ?? null}
                addedBy={names.get(connection.createdBy) ?? null}
                uses={uses && (uses.get(connection.id) ?? NO_USES)}
                testRound={testRound}
              />
            ))}
          </tbody>
        </ListTable>
      )}
      <LoadMore pages={connections} label="Show more" className="btn more" />
    </Page>
  );
}
