"use client";

import { useQuery } from "@tanstack/react-query";
import { SquareTerminal, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useRef, useState } from "react";
import { ConnectionEditor } from "@/components/connections/connection-editor";
import { ConnectionState } from "@/components/connections/connection-row";
import { DeleteConnection } from "@/components/connections/delete-connection";
import { LatencyCard } from "@/components/connections/latency-card";
import { Trail } from "@/components/connections/new-connection";
import { ReaderAside } from "@/components/connections/reader-aside";
import { TypeIcon } from "@/components/connections/type-icon";
import { useConnectionTypes } from "@/components/connections/use-connection-types";
import { useMayChange } from "@/components/connections/use-may-change";
import { UsedBy } from "@/components/connections/used-by";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { Page } from "@/components/layout/page";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useMemberNames } from "@/components/settings/use-settings";
import { CannotOpen } from "@/components/ui/cannot-open";
import { ColourTag } from "@/components/ui/colour-tag";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { useIsAwake } from "@/components/ui/use-browser";
import { connectionsApi, type TestOutcome } from "@/lib/features/connections/browser/client";
import type { Connection, ConnectionType } from "@/lib/features/connections/schema";
import { formatDay } from "@/lib/platform/browser/format-time";
import { ApiError } from "@/lib/platform/browser/request";
import "./connections.css";

/** One connection: its settings, its test and its deletion. */
export function ConnectionDetails({ connectionId }: { connectionId: string }) {
  const { workspace } = useWorkspace();
  const types = useConnectionTypes();
  const connection = useQuery({
    // Below the list's key, so that invalidating the list invalidates this too.
    queryKey: ["connections", workspace.id, connectionId],
    queryFn: ({ signal }) => connectionsApi.read(workspace.id, connectionId, signal),
  });
  /** Version of the last save from this page. It outlives the form, which is recreated from the stored values. */
  const [savedAs, setSavedAs] = useState<string | null>(null);
  /** Result of a test. It outlives the form as well: saving and testing are one click. */
  const [outcome, setOutcome] = useState<TestOutcome | null>(null);
  const root = `/w/${workspace.slug}/connections`;
  const failure = connection.error ?? types.error;
  if (connection.data && types.data) {
    const type = types.data.find((each) => each.type === connection.data.type) ?? null;
    const { updatedAt } = connection.data;
    return (
      <Loaded
        key={connectionId}
        connection={connection.data}
        type={type}
        root={root}
        isSaved={savedAs === updatedAt}
        onSaved={setSavedAs}
        outcome={outcome}
        onOutcome={setOutcome}
      />
    );
  }
  if (failure instanceof ApiError && (failure.status === 404 || failure.status === 400)) {
    return <CannotOpen what="connection" back={{ href: root, label: "Back to connections" }} />;
  }
  return (
    <Page title="Connection" trail={<Trail root={root} name="Connection" />} isWide>
      {failure ? (
        <LoadFailure error={failure} onRetry={() => Promise.all([connection.refetch(), types.refetch()])} />
      ) : (
        <ListSkeleton label="Loading connection" />
      )}
    </Page>
  );
}

type LoadedProps = {
  connection: Connection;
  type: ConnectionType | null;
  root: string;
  isSaved: boolean;
  onSaved: (updatedAt: string) => void;
  outcome: TestOutcome | null;
  onOutcome: (outcome: TestOutcome | null) => void;
};

function Loaded({ connection, type, root, isSaved, onSaved, outcome, onOutcome }: LoadedProps) {
  const router = useRouter();
  const { create } = useConsoleActions();
  const mayChange = useMayChange(connection);
  const names = useMemberNames();
  const isAwake = useIsAwake();
  const [isDeleting, setIsDeleting] = useState(false);
  /** The connection being edited, as it was when editing began. Saves by others and test results do not change it. */
  const [changed, setChanged] = useState<Connection | null>(null);
  const latest = useRef(connection);
  useEffect(() => {
    latest.current = connection;
  }, [connection]);
  const onDirty = useCallback((isDirty: boolean) => setChanged(isDirty ? latest.current : null), []);
  const shown = changed ?? connection;
  const actions = (
    <>
      {connection.category === "database" && (
        <button type="button" className="btn" onClick={() => create(connection.id)}>
          <SquareTerminal className="s" />
          New console
        </button>
      )}
      {mayChange && (
        <button type="button" className="btn danger" onClick={() => setIsDeleting(true)}>
          <Trash2 className="s" />
          Delete
        </button>
      )}
    </>
  );
  return (
    <Page title={connection.name} trail={<Trail root={root} name={connection.name} />} actions={actions} isWide>
      <div className="row conn-facts t2">
        <span className="row">
          <TypeIcon type={connection.type} />
          {type?.name ?? connection.type}
        </span>
        {connection.tag && <ColourTag tag={connection.tag} />}
        <ConnectionState connection={connection} isTesting={false} />
        {connection.serverVersion !== null && <span>{connection.serverVersion}</span>}
        <span className="t3">
          Added by {names.get(connection.createdBy) ?? "former member"}
          {isAwake && `, ${formatDay(new Date(connection.createdAt))}`}
        </span>
      </div>
      {connection.status === "failing" && connection.lastError !== null && (
        <div className="conn-failing">
          <Notice kind="bad">
            <b className="b6">Last test failed.</b> {connection.lastError}
          </Notice>
        </div>
      )}
      {type ? (
        <div className="conn-edit">
          <ConnectionEditor
            key={shown.updatedAt}
            type={type}
            connection={shown}
            mayChange={mayChange}
            isSaved={isSaved}
            onSaved={(updatedAt) => {
              onSaved(updatedAt);
              setChanged(null);
            }}
            onDirty={onDirty}
            outcome={outcome}
            onOutcome={onOutcome}
          />
          <div className="conn-side">
            <LatencyCard latencies={connection.latencies} />
            <UsedBy connectionId={connection.id} />
            <ReaderAside type={type} />
          </div>
        </div>
      ) : (
        <Notice kind="warn">
          {connection.type} is no longer supported. Delete the connection or contact your administrator.
        </Notice>
      )}
      <DeleteConnection
        connection={connection}
        isOpen={isDeleting}
        onClose={() => setIsDeleting(false)}
        onDeleted={() => router.push(root)}
      />
    </Page>
  );
}
