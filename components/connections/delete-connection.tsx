"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { UsageList } from "@/components/connections/usage-list";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Confirm } from "@/components/ui/confirm";
import { announce } from "@/components/ui/live-region";
import { toMessage } from "@/components/ui/to-message";
import { connectionsApi, toUsages } from "@/lib/features/connections/browser/client";
import type { Connection } from "@/lib/features/connections/schema";

type DeleteConnectionProps = {
  connection: Connection;
  isOpen: boolean;
  onClose: () => void;
  onDeleted?: () => void;
};

/** Asks for confirmation, and again with the list of objects that would break if the connection is in use. */
export function DeleteConnection({ connection, isOpen, onClose, onDeleted }: DeleteConnectionProps) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: (force: boolean) => connectionsApi.remove(workspace.id, connection.id, { force }),
    onSuccess: async () => {
      announce(`${connection.name} deleted`);
      onDeleted?.();
      await queryClient.invalidateQueries({ queryKey: ["connections", workspace.id] });
    },
  });
  const usages = toUsages(remove.error);
  const close = () => {
    remove.reset();
    onClose();
  };
  return (
    <Confirm
      title={usages === null ? `Delete ${connection.name}?` : `${connection.name} is in use`}
      action={usages === null ? "Delete connection" : "Delete anyway"}
      isOpen={isOpen}
      isBusy={remove.isPending || remove.isSuccess}
      failure={remove.isError && usages === null ? toMessage(remove.error) : null}
      onConfirm={() => remove.mutate(usages !== null)}
      onClose={close}
    >
      {usages === null ? (
        <p>This deletes its settings and secrets. Your data and consoles are kept.</p>
      ) : (
        <>
          <p>These will stop working:</p>
          <UsageList usages={usages} />
          <p>This can't be undone.</p>
        </>
      )}
    </Confirm>
  );
}
