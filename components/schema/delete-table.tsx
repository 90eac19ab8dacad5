"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { UsageList } from "@/components/connections/usage-list";
import { useWorkspace } from "@/components/layout/workspace-context";
import { findReaders } from "@/components/schema/find-readers";
import { Confirm } from "@/components/ui/confirm";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { importsApi } from "@/lib/features/connections/browser/imports";
import { api } from "@/lib/features/query/browser/api";
import { formatCountOf } from "@/lib/platform/browser/format";

type DeleteTableProps = {
  connection: { id: string; name: string };
  /** Name of an imported table. */
  table: string;
  isOpen: boolean;
  onClose: () => void;
  onDeleted?: () => void;
};

/** Asks for confirmation with the number of rows and what may read the table, and deletes it. */
export function DeleteTable({ connection, table, isOpen, onClose, onDeleted }: DeleteTableProps) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const rows = useQuery({
    queryKey: ["table-count", workspace.id, connection.id, table],
    queryFn: () => api.countTableRows(workspace.id, connection.id, { table: { name: table } }),
    staleTime: 0,
    retry: false,
    enabled: isOpen,
  });
  const readers = useQuery({
    queryKey: ["table-readers", workspace.id, connection.id, table],
    queryFn: ({ signal }) => findReaders(workspace.id, connection.id, table, signal),
    staleTime: 0,
    retry: false,
    enabled: isOpen,
  });
  const remove = useMutation({
    mutationFn: () => importsApi.removeTable(workspace.id, table),
    onSuccess: async () => {
      announce(`${table} deleted`);
      onDeleted?.();
      onClose();
      await queryClient.invalidateQueries({ queryKey: ["entities", workspace.id, connection.id] });
    },
  });
  const close = () => {
    remove.reset();
    onClose();
  };
  const count = rows.data && formatCountOf(Number(rows.data.count), "row");
  return (
    <Confirm
      title={`Delete ${table}?`}
      action="Delete table"
      isOpen={isOpen}
      isBusy={remove.isPending}
      failure={remove.isError ? toMessage(remove.error) : null}
      onConfirm={() => remove.mutate()}
      onClose={close}
    >
      <p>
        This deletes the table{count === undefined ? "" : ` and its ${count}`} from {connection.name}. This can't be
        undone.
      </p>
      {readers.isError && (
        <Notice kind="warn">
          Couldn't check what uses the table.{" "}
          <button type="button" className="link" onClick={() => void readers.refetch()}>
            Retry
          </button>
        </Notice>
      )}
      {readers.data !== undefined && readers.data.usages.length > 0 && (
        <>
          <p>These use {connection.name} and may read the table:</p>
          <UsageList usages={readers.data.usages} />
        </>
      )}
      {readers.data?.isIncomplete && (
        <Notice kind="warn">Not all consoles were checked. More may read the table.</Notice>
      )}
    </Confirm>
  );
}
