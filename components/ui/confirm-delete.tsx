"use client";

import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Confirm } from "@/components/ui/confirm";
import { announce } from "@/components/ui/live-region";
import { toMessage } from "@/components/ui/to-message";
import { useSingleMutation } from "@/components/ui/use-single-flight";

type ConfirmDeleteProps = {
  name: string;
  /** Kind of the item, as the button names it. */
  noun: string;
  /** Query of the list that the item leaves. */
  listKey: QueryKey;
  isOpen: boolean;
  onDelete: () => Promise<unknown>;
  onDeleted?: (() => void) | undefined;
  onClose: () => void;
  children: ReactNode;
};

/** Asks for confirmation, deletes an item once and renews its list. `children` name the effects. */
export function ConfirmDelete(props: ConfirmDeleteProps) {
  const { name, noun, listKey, isOpen, onDelete, onDeleted, onClose, children } = props;
  const client = useQueryClient();
  const remove = useSingleMutation(
    useMutation({
      mutationFn: onDelete,
      onSuccess: async () => {
        announce(`${name} deleted`);
        onDeleted?.();
        await client.invalidateQueries({ queryKey: listKey, exact: true });
      },
    }),
  );
  return (
    <Confirm
      title={`Delete ${name}?`}
      action={`Delete ${noun}`}
      isOpen={isOpen}
      isBusy={remove.isPending || remove.isSuccess}
      failure={remove.isError ? toMessage(remove.error) : null}
      onConfirm={() => remove.mutate()}
      onClose={() => {
        remove.reset();
        onClose();
      }}
    >
      {children}
    </Confirm>
  );
}
