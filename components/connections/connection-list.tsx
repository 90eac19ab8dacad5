"use client";

import { Database, Plus, RefreshCw } from "lucide-react";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";
import { ConnectionRow } from "@/components/connections/connection-row";
import { ConnectionSearch } from "@/components/connections/connection-search";
import { isShown, toShow } from "@/components/connections/show";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { NoneShown } from "@/components/ui/none-shown";
import { useConnectivity, useIsPhone } from "@/components/ui/use-browser";
import { Page } from "@/components/workspace/page";
import { useConnectionTypes } from "@/components/workspace/use-connection-types";
import { useConnections } from "@/components/workspace/use-schema";
import { useMemberNames } from "@/components/workspace/use-settings";
import { useWorkspace } from "@/components/workspace/workspace-context";
import { completeStep } from "@/lib/ui/workbench";
import "./connections.css";

/** Everything that the workspace is connected to. */
export function ConnectionList() {
  const { workspace, workbench } = useWorkspace();
  const connections = useConnections();
  const types = useConnectionTypes();
  const names = useMemberNames();
  const query = useSearchParams();
  const { isOnline } = useConnectivity();
  const isPhone = useIsPhone();
  /** Counts the presses on "Test all": each row tests itself when it changes. */
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
          disabled={!isOnline}
          title={isOnline ? undefined : "You are offline"}
          onClick={() => setTestRound(testRound + 1)}
        >
          <RefreshCw className="s" />
          Test all
        </button>
      )}
      {add}
    </>
  );
  return (
    <Page title="Connections" count={connections.data?.length} actions={actions} isWide>
      {connections.isPending && <ListSkeleton label="Reading the connections" />}
      {connections.isError && !connections.data && (
        <LoadFailure error={connections.error} onRetry={() => connections.refetch()} />
      )}
      {connections.isSuccess && all.length === 0 && (
        <div className="empty blank">
          <span className="empty-mark">
            <Database />
          </span>
          <h2>No connections yet</h2>
          <p>Connect a database to ask it something, or a service whose data flows will copy.</p>
          <div className="row">{add}</div>
        </div>
      )}
      {/* Elsewhere it stands in the explorer, which a phone does not show. */}
      {isPhone && all.length > 0 && <ConnectionSearch />}
      {all.length > 0 && shown.length === 0 && (
        <NoneShown noun="connection" search={search} alsoBy="kind" href={root} />
      )}
      {shown.length > 0 && (
        <table className="list tall fold connections" aria-label="Connections">
          <thead>
            <tr>
              <th>Name</th>
              <th>Address</th>
              <th>Access</th>
              <th>Status</th>
              <th className="opt">Added by</th>
              <th>Tested</th>
              <th>
                <span className="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((connection) => (
              <ConnectionRow
                key={connection.id}
                connection={connection}
                type={types.data?.find(({ type }) => type === connection.type) ?? null}
                addedBy={names.get(connection.createdBy) ?? null}
                testRound={testRound}
              />
            ))}
          </tbody>
        </table>
      )}
    </Page>
  );
}
