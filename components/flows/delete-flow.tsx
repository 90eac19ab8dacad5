"use client";

import { toFlowsKey } from "@/components/flows/use-flows";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ConfirmDelete } from "@/components/ui/confirm-delete";
import { flowsApi } from "@/lib/features/flows/browser/client";
import type { Flow } from "@/lib/features/flows/schema";

type DeleteFlowProps = { flow: Flow; isOpen: boolean; onClose: () => void; onDeleted?: () => void };

/** Asks for confirmation before a flow is deleted, and names what remains. */
export function DeleteFlow({ flow, ...props }: DeleteFlowProps) {
  const { workspace } = useWorkspace();
  return (
    <ConfirmDelete
      {...props}
      name={flow.name}
      noun="flow"
      listKey={toFlowsKey(workspace.id)}
      onDelete={() => flowsApi.remove(workspace.id, flow.id)}
    >
      <p>
        Its schedule stops and a current run is cancelled. Rows it has written stay in the destination.
        {flow.type === "webhook" && " Its URL stops working now, and queued events are dropped."}
      </p>
      <p>This can't be undone.</p>
    </ConfirmDelete>
  );
}
