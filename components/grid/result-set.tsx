"use client";

import { Fragment, useCallback, useMemo, useState } from "react";
import { useDialect, useScriptLanguage } from "@/components/connections/use-connection-types";
import { type ConsoleRun, type PinnedResult, ROW_LIMITS } from "@/components/consoles/run-store";
import type { ToStats } from "@/components/grid/column-stats-card";
import { toEngineStats, toLoadedStats } from "@/components/grid/column-stats-words";
import { ColumnsMenu } from "@/components/grid/columns-menu";
import { CompareMenu } from "@/components/grid/compare-menu";
import type { OtherResult } from "@/components/grid/compare-view";
import { useEditedRows } from "@/components/grid/edit/use-edited-rows";
import { FiltersNote } from "@/components/grid/filters-note";
import { LoadNote } from "@/components/grid/load-note";
import { ResultBar } from "@/components/grid/result-bar";
import { ResultCards } from "@/components/grid/result-cards";
import { ResultGrid } from "@/components/grid/result-grid";
import { SelectionFoot } from "@/components/grid/selection-foot";
import { useCopy } from "@/components/grid/use-copy";
import { useResultColumns } from "@/components/grid/use-result-columns";
import { useRows } from "@/components/grid/use-rows";
import { useSelection } from "@/components/grid/use-selection";
import { useViewChoice, type View } from "@/components/grid/view-choice";
import { useFrame } from "@/components/layout/use-frame";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useEntities } from "@/components/schema/use-schema";
import { lazyComponent } from "@/components/ui/lazy-component";
import { useIsPhone } from "@/components/ui/use-browser";
import type { Connection } from "@/lib/features/connections/schema";
import type { KeptChart } from "@/lib/features/consoles/browser/client";
import type { ExecuteAnswer } from "@/lib/features/query/browser/api";
import type { CopyFormat } from "@/lib/features/results/browser/copy-rows";
import { loadedResults } from "@/lib/features/results/browser/loaded-results";
import { findSelectedCollection } from "@/lib/features/results/browser/selected-collection";
import { findSelectedTable } from "@/lib/features/results/browser/selected-table";
import type { SortBy } from "@/lib/features/results/browser/sort-rows";
import { later } from "@/lib/platform/browser/load-again";

export type ResultViewProps = {
  run: ConsoleRun;
  connection: Connection | null;
  /** Name of the console, used for file names. */
  consoleName: string;
  canRun: boolean;
  /** Chart saved with the console; null if it has none yet. */
  chart: KeptChart | null;
  onChart: (chart: KeptChart) => void;
  onLoadMore: () => void;
  onRunAgain: (run: ConsoleRun) => void;
  onShowQuery: () => void;
  /** Pinned earlier results. */
  pinned: PinnedResult[];
  onPin: (executionId: string, isPinned: boolean) => void;
  /** The saved console if its text is what was run; null for any other text. */
  savedAs?: { id: string; content: string } | null;
  /** Button back from an earlier result to the current state. */
  back?: { label: string; go: () => void };
};

const Pending = () => <div className="result-fill" aria-busy="true" />;
const loadJsonPane = later(() => import("@/components/grid/json-pane"));
const JsonPane = lazyComponent(loadJsonPane, (module) => module.JsonPane, Pending);
const loadChartView = later(() => import("@/components/results/chart-view"));
const ChartView = lazyComponent(loadChartView, (module) => module.ChartView, Pending);
const loadPivotView = later(() => import("@/components/grid/pivot-view"));
const PivotView = lazyComponent(loadPivotView, (module) => module.PivotView, Pending);
const loadExportDialog = later(() => import("@/components/results/export-dialog"));
const ExportDialog = lazyComponent(loadExportDialog, (module) => module.ExportDialog);
const loadAddToDashboard = later(() => import("@/components/results/add-to-dashboard"));
const AddToDashboard = lazyComponent(loadAddToDashboard, (module) => module.AddToDashboard);
const loadCompareView = later(() => import("@/components/grid/compare-view"));
const CompareView = lazyComponent(loadCompareView, (module) => module.CompareView, Pending);
const loadEditableRows = later(() => import("@/components/grid/edit/editable-rows"));
const EditableRows = lazyComponent(loadEditableRows, (module) => module.EditableRows, Pending);
const loadRowPanel = later(() => import("@/components/grid/row-panel"));
const RowPanel = lazyComponent(loadRowPanel, (module) => module.RowPanel);

const NO_TABLE = { name: "" };
const PHONE_VIEWS: View[] = ["cards", "table", "chart"];
const WIDE_VIEWS: View[] = ["table", "chart", "pivot", "json"];
/** Row count below which filtering is as fast as typing. */
const QUICK_ROWS_MAX = 2000;

type ResultSetProps = ResultViewProps & {
  answer: ExecuteAnswer;
  statement: string;
  executionId: string;
  /** Other results with rows, to compare with. */
  others: OtherResult[];
  /** Index of the result among those of its statement, 0-based. */
  index: number;
};

/** One result with rows: its bar, the selected view, and the foot. */
export function ResultSet(props: ResultSetProps) {
  const { answer, statement, index, run, connection, consoleName, chart, onChart, canRun, onLoadMore, back } = props;
  const { workspace } = useWorkspace();
  const isPhone = useIsPhone();
  const [view, setView] = useViewChoice(isPhone);
  const [isExporting, setIsExporting] = useState(false);
  const [compared, setCompared] = useState<OtherResult | null>(null);
  const [isAdding, setIsAdding] = useState(false);
  const { source: base, load } = useRows(answer);
  const dialect = useDialect(connection?.type);
  const entities = useEntities(connection?.readOnly === false ? connection.id : null);
  // Submitted changes are shown by running the statement again: with others, it might write.
  const mayEdit = canRun && index === 0 && !back && run.keptOf === null && run.statements.length === 1;
  const language = useScriptLanguage(connection?.type);
  const known = { entities, fields: answer.fields };
  const selected = () =>
    language === "mongodb" ? findSelectedCollection(statement, known) : findSelectedTable(statement, dialect, known);
  const entity = mayEdit ? selected() : null;
  const edited = useEditedRows({ base, connection, table: entity ?? NO_TABLE, entity });
  const source = edited?.source ?? base;
  const { range, select, arrange, inspect, opened } = useSelection(source, answer);
  const { table, columns } = useResultColumns(answer.fields, source.sample);
  const isSql = connection !== null && language !== "mongodb";
  const { copyAs, copyTo } = useCopy(source, columns, range, { text: statement, dialect });
  const { filter, columns: filters } = source.arrangement;
  const { digits, times } = useFrame().frame;
  const look = useMemo(() => ({ digits, times }), [digits, times]);
  const target = { ...run, workspaceId: workspace.id };

  const isAllLoaded = !answer.truncated || load?.status === "loaded";
  const toStats: ToStats = (column, signal) => {
    const field = answer.fields[column];
    const isEngine = !isAllLoaded && index === 0 && isSql && source.count === source.total && field !== undefined;
    const own = { target, text: statement, dialect };
    return isEngine
      ? toEngineStats(own, field, () => toLoadedStats(source)(column, signal), signal)
      : toLoadedStats(source, isAllLoaded)(column, signal);
  };
  const sortRows = useCallback((sort: SortBy | null) => arrange({ sort }), [arrange]);
  const grid = {
    table,
    columns,
    label: "Result",
    range,
    onRange: select,
    onSort: sortRows,
    onInspect: inspect,
    onCopy: copyTo,
    onCopyAs: (format: CopyFormat) => void copyAs(format, true),
    isWalking: opened !== null,
    toStats,
  };
  const loadAll = () =>
    loadedResults.start(answer.executionId, {
      target,
      query: statement,
      result: index,
      fields: answer.fields,
      rows: answer.rows,
    });

  return (
    <>
      <ResultBar
        views={isPhone ? PHONE_VIEWS : WIDE_VIEWS}
        view={view}
        onView={(next) => {
          setCompared(null);
          setView(next);
        }}
        filter={filter}
        isFilterSlow={source.total > QUICK_ROWS_MAX}
        onFilter={(text) => arrange({ filter: text })}
        filtersNote={
          <FiltersNote
            source={source}
            statement={statement}
            dialect={dialect}
            canWrite={isSql}
            onClear={() => arrange({ columns: [] })}
          />
        }
        columnsMenu={!isPhone && <ColumnsMenu table={table} onChange={() => select(null)} />}
        compareMenu={!isPhone && <CompareMenu others={props.others} onCompare={setCompared} />}
        onCopy={copyAs}
        onExport={() => setIsExporting(true)}
        onAdd={() => setIsAdding(true)}
        addRefusal={index === 0 ? null : "Widgets show the first result of a statement"}
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
      {compared !== null ? (
        <CompareView
          key={compared.id}
          other={compared}
          answer={answer}
          dialect={dialect}
          onClose={() => setCompared(null)}
        />
      ) : source.count === 0 && !source.isArranging && filter !== "" && filters.length === 0 && view !== "chart" ? (
        <p className="no-match grow">No rows match "{filter}".</p>
      ) : view === "json" ? (
        <JsonPane source={source} columns={columns} />
      ) : view === "chart" ? (
        <ChartView source={source} kept={chart} onChange={onChart} look={look} name={consoleName} />
      ) : view === "pivot" ? (
        <PivotView source={source} look={look} name={consoleName} />
      ) : view === "cards" && !edited ? (
        <ResultCards source={source} columns={columns} onInspect={inspect} />
      ) : (
        // A different set of rows resets the scroll position.
        <Fragment key={load?.status ?? "first"}>
          {edited ? (
            <EditableRows
              {...grid}
              edited={edited}
              asCards={view === "cards"}
              entities={entities}
              isWhole={isAllLoaded}
              onReload={() => props.onRunAgain(run)}
            />
          ) : (
            <ResultGrid {...grid} source={source} />
          )}
        </Fragment>
      )}
      {compared === null && (
        <SelectionFoot
          run={run}
          source={source}
          columns={columns}
          range={view === "table" ? range : null}
          back={back}
          isPinned={props.pinned.some(({ executionId }) => executionId === props.executionId)}
          onPin={(isPinned) => props.onPin(props.executionId, isPinned)}
          onRunAgain={run.keptOf !== null && canRun ? () => props.onRunAgain(run) : null}
        />
      )}
      {opened !== null && (
        <RowPanel source={source} columns={columns} edited={edited} entities={entities} {...opened} />
      )}
      {isAdding && (
        <AddToDashboard
          rows={source}
          chart={chart}
          isChart={view === "chart"}
          connectionId={run.connectionId}
          statement={statement}
          consoleId={props.savedAs && isAllOf(props.savedAs.content, statement) ? props.savedAs.id : null}
          consoleName={consoleName}
          onClose={() => setIsAdding(false)}
        />
      )}
      {isExporting && (
        <ExportDialog
          target={target}
          connectionName={connection?.name ?? null}
          query={statement}
          result={index}
          fields={answer.fields}
          consoleName={consoleName}
          onClose={() => setIsExporting(false)}
        />
      )}
    </>
  );
}

/** Returns whether a text consists of only this statement: a further one would give another result. */
function isAllOf(content: string, statement: string): boolean {
  const bare = (text: string) => text.trim().replace(/;\s*$/, "");
  return bare(content) === bare(statement);
}
