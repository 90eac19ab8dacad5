"use client";

import { useQuery } from "@tanstack/react-query";
import { RowsGrid } from "@/components/grid/rows-grid";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Modal } from "@/components/ui/modal";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { agentApi } from "@/lib/features/agent/browser/client";
import { readArrowRows } from "@/lib/features/results/browser/arrow-rows";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";

type WholeResultProps = {
  chatId: string;
  resultId: string;
  /** Rows of the query; may be more than the stored ones. */
  rowCount: number;
  query: string;
  dialect: SqlDialect;
  onClose: () => void;
};

/** All stored rows of an agent's query, in a console's grid. */
export function WholeResult({ chatId, resultId, rowCount, query, dialect, onClose }: WholeResultProps) {
  const { workspace } = useWorkspace();
  const kept = useQuery({
    queryKey: ["chat-result", workspace.id, chatId, resultId],
    queryFn: async ({ signal }) => readArrowRows(await agentApi.readResult(workspace.id, chatId, resultId, signal)),
    // A stored result does not change. It may be large, so it is dropped with the dialog.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const held = kept.data?.rows.length ?? 0;
  return (
    <Modal title="Full result" isOpen isWide onClose={onClose}>
      {kept.isPending && <ListSkeleton label="Loading rows" rowPx={28} />}
      {kept.isError && <LoadFailure error={kept.error} onRetry={() => kept.refetch()} />}
      {kept.data && <RowsGrid label="Full result" {...kept.data} query={query} dialect={dialect} />}
      {kept.data && (
        <p className="whole-foot num xs t2">
          {held < rowCount
            ? `First ${formatCount(held)} of ${formatCountOf(rowCount, "row")}`
            : formatCountOf(held, "row")}
        </p>
      )}
    </Modal>
  );
}
