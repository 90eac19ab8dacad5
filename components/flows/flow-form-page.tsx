"use client";

import { useState } from "react";
import { FlowEditor } from "@/components/flows/flow-editor";
import { FlowTrail } from "@/components/flows/flow-trail";
import { useMayChange } from "@/components/flows/use-flow-actions";
import { useFlow } from "@/components/flows/use-flows";
import { Page } from "@/components/layout/page";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useConnections, useFindConnection } from "@/components/schema/use-schema";
import { CannotOpen } from "@/components/ui/cannot-open";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import type { Connection } from "@/lib/features/connections/schema";
import type { FlowDetail } from "@/lib/features/flows/schema";
import { ApiError } from "@/lib/platform/browser/request";
import "./flows.css";

/** Page that creates a flow. */
export function NewFlow() {
  const root = `/w/${useWorkspace().workspace.slug}/flows`;
  const connections = useConnections();
  if (!connections.data) {
    return (
      <Page title="New flow" trail={<FlowTrail root={root} flow={null} name="New" />} isWide>
        <Waiting error={connections.error} onRetry={() => connections.refetch()} label="Loading connections" />
      </Page>
    );
  }
  return <FlowEditor flow={null} connections={connections.data} mayChange root={root} />;
}

/** Page that edits a flow; read-only without the right to change it. */
export function EditFlow({ flowId }: { flowId: string }) {
  const root = `/w/${useWorkspace().workspace.slug}/flows`;
  const connections = useConnections();
  const flow = useFlow(flowId);
  const find = useFindConnection();
  if (flow.error instanceof ApiError && (flow.error.status === 404 || flow.error.status === 400) && !flow.data) {
    return <CannotOpen what="flow" back={{ href: root, label: "Back to flows" }} />;
  }
  const ends = [find(flow.data?.source?.connectionId), find(flow.data?.destination.connectionId)];
  if (!flow.data || !connections.data || ends.includes(undefined)) {
    return (
      <Page title="Edit flow" trail={<FlowTrail root={root} flow={null} />} isWide>
        <Waiting
          error={flow.error ?? connections.error}
          onRetry={() => Promise.all([flow.refetch(), connections.refetch()])}
          label="Loading flow"
        />
      </Page>
    );
  }
  const offered = new Set([...connections.data, ...ends.flatMap((each) => each ?? [])]);
  return <LoadedFlow flow={flow.data} connections={[...offered]} root={root} />;
}

/** Keeps unsaved input while the flow changes elsewhere: the form restarts only on request. */
function LoadedFlow({ flow, connections, root }: { flow: FlowDetail; connections: Connection[]; root: string }) {
  const [base, setBase] = useState(flow);
  const mayChange = useMayChange(flow);
  return (
    <FlowEditor
      key={base.updatedAt}
      flow={base}
      newest={flow}
      onLoad={setBase}
      connections={connections}
      mayChange={mayChange}
      root={root}
    />
  );
}

function Waiting({ error, onRetry, label }: { error: Error | null; onRetry: () => void; label: string }) {
  return error ? <LoadFailure error={error} onRetry={onRetry} /> : <ListSkeleton label={label} />;
}
