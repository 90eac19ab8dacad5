"use client";

import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { CellInspector, type Inspected } from "@/components/grid/cell-inspector";
import { ResultCards } from "@/components/grid/result-cards";
import { ResultGrid } from "@/components/grid/result-grid";
import { useCopy } from "@/components/grid/use-copy";
import { useResultColumns } from "@/components/grid/use-result-columns";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Modal } from "@/components/ui/modal";
import { useIsPhone } from "@/components/ui/use-browser";
import { useWorkspace } from "@/components/workspace/workspace-context";
import { agentApi } from "@/lib/client/agent";
import type { SqlDialect } from "@/lib/sql/dialects";
import type { ResultField, ResultRow } from "@/lib/tabular/json-rows";
import { formatCount, formatRows } from "@/lib/ui/format";
import type { CellPosition, CellRange } from "@/lib/ui/grid-selection";
import { readArrowRows } from "@/lib/ui/results/arrow-rows";
import { AnswerRows } from "@/lib/ui/results/rows-source";
import type { SortBy } from "@/lib/ui/results/sort-rows";

type WholeResultProps = {
  chatId: string;
  resultId: string;
  /** Of the query, more than are kept maybe. */
  rowCount: number;
  query: string;
  dialect: SqlDialect;
  onClose: () => void;
};

/** All rows that were kept of a query of the agent, as the grid of a console shows them. */
export function WholeResult({ chatId, resultId, rowCount, query, dialect, onClose }: WholeResultProps) {
  const { workspace } = useWorkspace();
  const kept = useQuery({
    queryKey: ["chat-result", workspace.id, chatId, resultId],
    queryFn: async ({ signal }) => readArrowRows(await agentApi.readResult(workspace.id, chatId, resultId, signal)),
    // What is kept does not change. It may be large, so it goes with the dialog.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const held = kept.data?.rows.length ?? 0;
  return (
    <Modal title="Whole result" isOpen isWide onClose={onClose}>
      {kept.isPending && <ListSkeleton label="Reading the rows" rowPx={28} />}
      {kept.isError && <LoadFailure error={kept.error} onRetry={() => kept.refetch()} />}
      {kept.data && <Rows {...kept.data} query={query} dialect={dialect} />}
      {kept.data && (
        <p className="whole-foot num xs t2">
          {held < rowCount ? `The first ${formatCount(held)} of ${formatRows(rowCount)}` : formatRows(held)}
        </p>
      )}
    </Modal>
  );
}

type RowsProps = { fields: ResultField[]; rows: ResultRow[]; query: string; dialect: SqlDialect };

function Rows({ fields, rows, query, dialect }: RowsProps) {
  const isPhone = useIsPhone();
  const source = useMemo(() => new AnswerRows(fields, rows), [fields, rows]);
  useEffect(() => () => source.close(), [source]);
  const readVersion = useCallback(() => source.version, [source]);
  useSyncExternalStore(source.subscribe, readVersion, readVersion);
  const { table, columns } = useResultColumns(fields, source.sample);
  const [range, setRange] = useState<CellRange | null>(null);
  const [inspected, setInspected] = useState<Inspected | null>(null);
  const { copyTo } = useCopy(source, columns, range, { text: query, dialect });
  const sort = (by: SortBy | null) => {
    setRange(null);
    source.arrange({ ...source.arrangement, sort: by });
  };
  const inspect = ({ row, column }: CellPosition) => {
    const shown = columns[column];
    if (shown) setInspected({ field: shown.field, value: source.cell(row, shown.index), rowNumber: row + 1 });
  };
  return (
    <div className="whole-rows">
      {isPhone ? (
        <ResultCards source={source} columns={columns} onInspect={inspect} />
      ) : (
        <ResultGrid
          source={source}
          table={table}
          columns={columns}
          label="Whole result"
          range={range}
          onRange={setRange}
          onSort={sort}
          onInspect={inspect}
          onCopy={copyTo}
        />
      )}
      <CellInspector inspected={inspected} onClose={() => setInspected(null)} />
    </div>
  );
}
