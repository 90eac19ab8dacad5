"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toFlowsKey } from "@/components/flows/use-flows";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Confirm } from "@/components/ui/confirm";
import { announce } from "@/components/ui/live-region";
import { toMessage } from "@/components/ui/to-message";
import { useSingleMutation } from "@/components/ui/use-single-flight";
import { type Flow, flowsApi } from "@/lib/features/flows/browser/client";

type DeleteFlowProps = { flow: Flow; isOpen: boolean; onClose: () => void; onDeleted?: () => void };

/** Asks for confirmation before a flow is deleted, and names what remains. */
export function DeleteFlow({ flow, isOpen, onClose, onDeleted }: DeleteFlowProps) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const remove = useSingleMutation(
    useMutation({
      mutationFn: () => flowsApi.remove(workspace.id, flow.id),
      onSuccess: async () => {
        announce(`${flow.name} is deleted`);
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
        It runs no more, and a run under way is cancelled. The rows that it has written stay where they are.
        {flow.type === "webhook" && " Its address ends at once, and events that wait to be written go."}
      </p>
      <p>This cannot be undone.</p>
    </Confirm>
  );
}
