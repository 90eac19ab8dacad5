"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toFlowsKey } from "@/components/flows/use-flows";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Confirm } from "@/components/ui/confirm";
import { announce } from "@/components/ui/live-region";
import { toMessage } from "@/components/ui/to-message";
import { useSingleMutation } from "@/components/ui/use-single-flight";
import { flowsApi } from "@/lib/features/flows/browser/client";
import type { Flow } from "@/lib/features/flows/schema";

type DeleteFlowProps = { flow: Flow; isOpen: boolean; onClose: () => void; onDeleted?: () => void };

/** Asks for confirmation before a flow is deleted, and names what remains. */
export function DeleteFlow({ flow, isOpen, onClose, onDeleted }: DeleteFlowProps) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const remove = useSingleMutation(
    useMutation({
      mutationFn: () => flowsApi.remove(workspace.id, flow.id),
      onSuccess: async () => {
        announce(`${flow.name} deleted`);
        onDeleted?.();
        await client.invalidateQueries({ queryKey: toFlowsKey(workspace.id), exact: true });
      },
    }),
  );
  return (
    <Confirm
      title={`Delete ${flow.name}?`}
      action="Delete flow"
      isOpen={isOpen}
      isBusy={remove.isPending || remove.isSuccess}
      failure={remove.isError ? toMessage(remove.error) : null}
      onConfirm={() => remove.mutate()}
      onClose={() => {
        remove.reset();
        onClose();
      }}
    >
      <p>
        Its schedule stops and a current run is cancelled. Rows it has written stay in the destination.
        {flow.type === "webhook" && " Its URL stops working now, and queued events are dropped."}
      </p>
      <p>This can't be undone.</p>
    </Confirm>
  );
}
