"use client";

import dynamic from "next/dynamic";
import { useCallback, useState } from "react";
import { CellInspector, type Inspected } from "@/components/grid/cell-inspector";
import { ColumnsMenu } from "@/components/grid/columns-menu";
import { LoadNote } from "@/components/grid/load-note";
import { ResultBar } from "@/components/grid/result-bar";
import { ResultCards } from "@/components/grid/result-cards";
import { ResultGrid } from "@/components/grid/result-grid";
import { SelectionFoot } from "@/components/grid/selection-foot";
import { useCopy } from "@/components/grid/use-copy";
import { useResultColumns } from "@/components/grid/use-result-columns";
import { useRows } from "@/components/grid/use-rows";
import { useViewChoice, type View } from "@/components/grid/view-choice";
import { useIsPhone } from "@/components/ui/use-browser";
import { type ConsoleRun, ROW_LIMITS } from "@/components/workspace/run-store";
import { useDialect } from "@/components/workspace/use-connection-types";
import { useWorkspace } from "@/components/workspace/workspace-context";
import type { ExecuteAnswer } from "@/lib/client/api";
import type { KeptChart } from "@/lib/client/consoles";
import { loadAgain } from "@/lib/client/load-again";
import type { Connection } from "@/lib/connections/schema";
import type { CellPosition, CellRange } from "@/lib/ui/grid-selection";
import { loadedResults } from "@/lib/ui/results/loaded-results";
import type { SortBy } from "@/lib/ui/results/sort-rows";

export type ResultViewProps = {
  run: ConsoleRun;
  connection: Connection | null;
  /** The console's name: files are called after it. */
  consoleName: string;
  canRun: boolean;
  /** The chart that is kept with the console; null when it has none yet. */
  chart: KeptChart | null;
  onChart: (chart: KeptChart) => void;
  onLoadMore: () => void;
  onShowQuery: () => void;
  /** The way back from a kept result to what happened since. */
  back?: { label: string; go: () => void };
};

const Pending = () => <div className="result-fill" aria-busy="true" />;
const JsonPane = dynamic(
  () => loadAgain(() => import("@/components/grid/json-pane")).then((module) => module.JsonPane),
  {
    ssr: false,
    loading: Pending,
  },
);
const ChartView = dynamic(
  () => loadAgain(() => import("@/components/results/chart-view")).then((module) => module.ChartView),
  {
    ssr: false,
    loading: Pending,
  },
);
const ExportDialog = dynamic(
  () => loadAgain(() => import("@/components/results/export-dialog")).then((module) => module.ExportDialog),
  {
    ssr: false,
  },
);

const PHONE_VIEWS: View[] = ["cards", "table", "chart"];
const WIDE_VIEWS: View[] = ["table", "chart", "json"];
/** Fewer rows than this are filtered as fast as one types. */
const QUICK_ROWS_MAX = 2000;

type ResultSetProps = ResultViewProps & { answer: ExecuteAnswer; statement: string };

/** One result with rows: its bar, the chosen view, and the foot. */
export function ResultSet(props: ResultSetProps) {
  const { answer, statement, run, connection, consoleName, chart, onChart, canRun, onLoadMore, back } = props;
  const { workspace } = useWorkspace();
  const isPhone = useIsPhone();
  const [view, setView] = useViewChoice(isPhone);
  const [range, setRange] = useState<CellRange | null>(null);
  const [inspected, setInspected] = useState<Inspected | null>(null);
  const [isExporting, setIsExporting] = useState(false);
  const { source, load } = useRows(answer);
  const { table, columns } = useResultColumns(answer.fields, source.sample);
  const dialect = useDialect(connection?.type);
  const { copyAs, copyTo } = useCopy(source, columns, range, { text: statement, dialect });
  const { filter } = source.arrangement;
  const target = { ...run, workspaceId: workspace.id };

  const filterRows = (text: string) => {
    setRange(null);
    source.arrange({ ...source.arrangement, filter: text });
  };
  const sortRows = useCallback(
    (sort: SortBy | null) => {
      setRange(null);
      source.arrange({ ...source.arrangement, sort });
    },
    [source],
  );
  const inspect = ({ row, column }: CellPosition) => {
    const shown = columns[column];
    if (shown) setInspected({ field: shown.field, value: source.cell(row, shown.index), rowNumber: row + 1 });
  };
  const loadAll = () =>
    loadedResults.start(answer.executionId, {
      target,
      query: statement,
      fields: answer.fields,
      rows: answer.rows,
    });

  return (
    <>
      <ResultBar
        views={isPhone ? PHONE_VIEWS : WIDE_VIEWS}
        view={view}
        onView={setView}
        filter={filter}
        isFilterSlow={source.total > QUICK_ROWS_MAX}
        onFilter={filterRows}
        columnsMenu={!isPhone && <ColumnsMenu table={table} onChange={() => setRange(null)} />}
        onCopy={copyAs}
        onExport={() => setIsExporting(true)}
      />
      {answer.truncated && !back && (
        <LoadNote
          rowCount={answer.rowCount}
          load={load}
          nextLimit={ROW_LIMITS.find((limit) => limit > run.limit) ?? null}
          isDisabled={!canRun}
          onLoadMore={onLoadMore}
          onLoadAll={loadAll}
          onCancel={() => loadedResults.drop(answer.executionId)}
        />
      )}
      {source.count === 0 && !source.isArranging && view !== "chart" ? (
        <p className="no-match grow">No row holds "{filter}".</p>
      ) : view === "json" ? (
        <JsonPane source={source} columns={columns} />
      ) : view === "chart" ? (
        <ChartView source={source} kept={chart} onChange={onChart} />
      ) : view === "cards" ? (
        <ResultCards source={source} columns={columns} onInspect={inspect} />
      ) : (
        <ResultGrid
          // Other rows, other place: the scroll begins anew.
          key={load?.status ?? "first"}
          source={source}
          table={table}
          columns={columns}
          label="Result"
          range={range}
          onRange={setRange}
          onSort={sortRows}
          onInspect={inspect}
          onCopy={copyTo}
        />
      )}
      <SelectionFoot run={run} source={source} columns={columns} range={view === "table" ? range : null} back={back} />
      <CellInspector inspected={inspected} onClose={() => setInspected(null)} />
      {isExporting && (
        <ExportDialog
          target={target}
          connectionName={connection?.name ?? null}
          query={statement}
          fields={answer.fields}
          consoleName={consoleName}
          onClose={() => setIsExporting(false)}
        />
      )}
    </>
  );
}
