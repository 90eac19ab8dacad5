"use client";

import { Code, FileCode2, MessageCircleQuestion, RefreshCw, Sigma, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useEffectEvent, useMemo, useState, useSyncExternalStore } from "react";
import { useDialect, useFindType, useScriptLanguage } from "@/components/connections/use-connection-types";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { ColumnsMenu } from "@/components/grid/columns-menu";
import { useEditedRows } from "@/components/grid/edit/use-edited-rows";
import { FiltersCount } from "@/components/grid/filters-note";
import type { CellLinks } from "@/components/grid/grid-menu";
import { ResultCards } from "@/components/grid/result-cards";
import { ResultGrid } from "@/components/grid/result-grid";
import { RowPanel } from "@/components/grid/row-panel";
import { useCopy } from "@/components/grid/use-copy";
import { useResultColumns } from "@/components/grid/use-result-columns";
import { useSelection } from "@/components/grid/use-selection";
import { ShowExplorer } from "@/components/layout/show-explorer";
import { useAddress, useOwnSteps, writeQuery } from "@/components/layout/use-address";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useEntities, useFindConnection } from "@/components/schema/use-schema";
import { lazyComponent } from "@/components/ui/lazy-component";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { showFailure } from "@/components/ui/toast";
import { ToolButton } from "@/components/ui/tool-button";
import { useIsPhone } from "@/components/ui/use-browser";
import { toShellFind } from "@/lib/base/mongo-shell/find";
import { toTableQuery } from "@/lib/base/sql/conditions";
import { toSqlTable } from "@/lib/base/sql/names";
import { isImportedTable } from "@/lib/features/connections/browser/imports";
import {
  findTable,
  type TableLink,
  toReferredRows,
  toReferringRows,
  toTableAddress,
} from "@/lib/features/connections/browser/table-links";
import type { Connection } from "@/lib/features/connections/schema";
import { completeStep } from "@/lib/features/consoles/browser/workbench";
import { api } from "@/lib/features/query/browser/api";
import { toQuestionAddress } from "@/lib/features/query/browser/question-address";
import { toConditionKind, toFilterValue } from "@/lib/features/results/browser/column-filter";
import type { CopyFormat } from "@/lib/features/results/browser/copy-rows";
import type { SortBy } from "@/lib/features/results/browser/sort-rows";
import {
  isTableParam,
  type NamedArrangement,
  readTableParams,
  toTableParams,
} from "@/lib/features/results/browser/table-address";
import { TABLE_ROWS_MAX, TablePages } from "@/lib/features/results/browser/table-pages";
import { groupDigits } from "@/lib/platform/browser/exact-number";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";
import { later } from "@/lib/platform/browser/load-again";
import "@/components/ui/foot.css";
import "@/components/ui/page.css";
import "./table-view.css";

const loadDdlDialog = later(() => import("@/components/schema/ddl-dialog"));
const loadEditableRows = later(() => import("@/components/grid/edit/editable-rows"));
const EditableRows = lazyComponent(loadEditableRows, (module) => module.EditableRows);
const DdlDialog = lazyComponent(loadDdlDialog, (module) => module.DdlDialog);
const loadDeleteTable = later(() => import("@/components/schema/delete-table"));
const DeleteTable = lazyComponent(loadDeleteTable, (module) => module.DeleteTable);
const loadConfirmWrite = later(() => import("@/components/consoles/confirm-write"));
const ConfirmWrite = lazyComponent(loadConfirmWrite, (module) => module.ConfirmWrite);

/** Limit of the query for a console, which a person changes there. */
const QUERY_ROWS = 100;

type TableViewProps = { connectionId: string; table: { name: string; schema?: string } };

/** View of a table's rows without a query: sorted and filtered by the database, and loaded while scrolling. */
export function TableView({ connectionId, table }: TableViewProps) {
  const { workspace, workbench } = useWorkspace();
  const connection = useFindConnection()(connectionId) ?? null;
  const source = useMemo(
    () => new TablePages((ask, signal) => api.readTableRows(workspace.id, connectionId, { table, ...ask }, signal)),
    [workspace.id, connectionId, table],
  );
  const { query } = useAddress();
  useOwnSteps(isTableParam);
  const asked = query.toString();
  const { named, isWhole } = useMemo(() => readTableParams(new URLSearchParams(asked)), [asked]);
  const start = useEffectEvent(() => source.start(named));
  useEffect(() => {
    source.onArranged = (chosen) => writeAddress(chosen);
    start();
    return () => source.close();
  }, [source]);
  // Back, and a link within the table, change only the address.
  useEffect(() => {
    if (!isSame(source.named, named)) source.show(named);
  }, [source, named]);
  const readVersion = useCallback(() => source.version, [source]);
  useSyncExternalStore(source.subscribe, readVersion, () => 0);
  const { isRead } = source;
  useEffect(() => {
    if (isRead) workbench.change((each) => completeStep(each, "table"));
  }, [isRead, workbench]);
  return (
    <main className="table-view" aria-labelledby="page-title">
      <div className="bar">
        <ShowExplorer />
        <span className="t3 trunc">{[connection?.name, table.schema].filter(Boolean).join(" / ")}</span>
        <h1 id="page-title" className="trunc">
          {table.name}
        </h1>
      </div>
      {(source.isLeftOut || !isWhole) && (
        <Notice kind="info" role="status">
          Part of this link does not match the table and was ignored. Check filters and sorting.
        </Notice>
      )}
      {source.isRead && source.fields.length > 0 ? (
        <Rows source={source} connectionId={connectionId} table={table} connection={connection} />
      ) : source.failure ? (
        <LoadFailure error={source.failure} onRetry={() => source.retry()} />
      ) : source.isRead ? (
        <p className="table-none t2">This table is empty.</p>
      ) : (
        <ListSkeleton label="Loading rows" rowPx={28} />
      )}
    </main>
  );
}

/** Adds a history entry for each arrangement, so that Back returns to the one before. */
function writeAddress(named: NamedArrangement): void {
  const { pathname, search } = window.location;
  const others = [...new URLSearchParams(search)].filter(([name]) => !isTableParam(name));
  const next = new URLSearchParams([...others, ...toTableParams(named)]);
  if (next.toString() !== new URLSearchParams(search).toString()) writeQuery(pathname, next, true);
}

function isSame(one: NamedArrangement, other: NamedArrangement): boolean {
  return JSON.stringify(toTableParams(one)) === JSON.stringify(toTableParams(other));
}

type RowsProps = TableViewProps & { source: TablePages; connection: Connection | null };

function Rows({ source: base, connectionId, table, connection }: RowsProps) {
  const engine = connection?.type;
  const { workspace } = useWorkspace();
  const { create } = useConsoleActions();
  const isPhone = useIsPhone();
  const dialect = useDialect(engine);
  const isShell = useScriptLanguage(engine) === "mongodb";
  const router = useRouter();
  const entities = useEntities(connectionId);
  const entity = findTable(entities, table);
  const edited = useEditedRows({ base, connection, table, entity });
  const source = edited?.source ?? base;
  const toLinks = (row: number, column: string): CellLinks => {
    const textOf = (name: string) =>
      toFilterValue(
        source.cell(
          row,
          source.fields.findIndex((field) => field.name === name),
        ),
      );
    const open = ({ table: target, named, label }: TableLink) => ({
      label,
      open: () => router.push(toTableAddress(workspace.slug, connectionId, target, named)),
    });
    if (entity === null) return { to: [], from: [] };
    return {
      to: toReferredRows(entity, column, textOf).map(open),
      from: toReferringRows(entities, entity, textOf).map(open),
    };
  };
  const { table: columnTable, columns } = useResultColumns(base.fields, base.sample);
  const { range, select, arrange, inspect, opened } = useSelection(source, base);
  const [count, setCount] = useState<{ text: string; arrangement: unknown } | null>(null);
  const { sort: sortedBy, columns: filters } = source.arrangement;
  const conditions = filters.flatMap((condition) => {
    const field = source.fields[condition.column];
    return field ? [{ name: field.name, dbType: field.dbType, kind: toConditionKind(field), condition }] : [];
  });
  const sortName = sortedBy && source.fields[sortedBy.column]?.name;
  const sort = sortedBy && sortName ? { name: sortName, isDescending: sortedBy.isDescending } : null;
  const mayBeNull = entity?.columns?.find(({ name }) => name === sortName)?.nullable ?? true;
  const query = isShell
    ? toShellFind(table.name, { conditions, sort })
    : toTableQuery(
        toSqlTable(table, dialect),
        { conditions, sort: sort && { ...sort, mayBeNull }, limit: QUERY_ROWS },
        dialect,
      );
  const { copyAs, copyTo } = useCopy(source, columns, range, { text: query, dialect });
  const grid = {
    source,
    table: columnTable,
    columns,
    label: "Table rows",
    range,
    onRange: select,
    onSort: (by: SortBy | null) => arrange({ sort: by }),
    onInspect: inspect,
    onCopy: copyTo,
    onCopyAs: (format: CopyFormat) => void copyAs(format, true),
    toLinks,
  };
  const countAll = async () => {
    const { arrangement } = source;
    const filters = arrangement.columns.map((filter) => ({
      ...filter,
      column: source.fields[filter.column]?.name ?? "",
    }));
    try {
      const answer = await api.countTableRows(workspace.id, connectionId, { table, filters });
      const text = groupDigits(String(answer.count));
      setCount({ text, arrangement: arrangement.columns });
      announce(`${text} ${answer.count === 1 ? "row" : "rows"}`);
    } catch (error) {
      showFailure(error instanceof Error ? error.message : "Couldn't count rows. Try again.");
    }
  };
  const [toolsHost, setToolsHost] = useState<HTMLElement | null>(null);
  const [ddl, setDdl] = useState<"unseen" | "open" | "closed">("unseen");
  const [deletion, setDeletion] = useState<"unseen" | "open" | "closed">("unseen");
  const hasDdl = useFindType()(engine)?.hasDdl;
  const isImported = entity !== null && isImportedTable(connection, entity);
  const counted = count?.arrangement === source.arrangement.columns ? count.text : null;
  return (
    <>
      <div className="result-bar">
        <FiltersCount count={source.arrangement.columns.length} onClear={() => arrange({ columns: [] })} />
        <span className="grow" />
        <span ref={setToolsHost} className="row" />
        {!isPhone && <ColumnsMenu table={columnTable} onChange={() => select(null)} />}
        <ToolButton label="Count rows" word="Count" icon={<Sigma className="s" />} onClick={() => void countAll()} />
        <ToolButton
          label="Refresh rows"
          word="Refresh"
          icon={<RefreshCw className="s" />}
          onClick={() => base.refresh()}
        />
        {hasDdl && (
          <ToolButton label="Show DDL" word="DDL" icon={<Code className="s" />} onClick={() => setDdl("open")} />
        )}
        <ToolButton
          label="New question"
          word="Question"
          icon={<MessageCircleQuestion className="s" />}
          onClick={() => router.push(toQuestionAddress(workspace.slug, connectionId, table))}
        />
        <ToolButton
          label="Open in console"
          word="Open in console"
          icon={<FileCode2 className="s" />}
          onClick={() => create(connectionId, { content: query })}
        />
        {isImported && (
          <ToolButton
            label="Delete table"
            word="Delete"
            icon={<Trash2 className="s" />}
            onClick={() => setDeletion("open")}
          />
        )}
      </div>
      {base.failure && <LoadFailure error={base.failure} onRetry={() => base.retry()} />}
      {base.isUnordered && (
        <p className="result-note" role="status">
          This table has no unique order. Later pages may repeat or miss rows.
        </p>
      )}
      {edited && <ConfirmWrite />}
      {edited ? (
        <EditableRows
          edited={edited}
          asCards={isPhone}
          entities={entities}
          toolsHost={toolsHost}
          isWalking={opened !== null}
          isWhole={!base.hasMore}
          onReload={() => base.refresh()}
          {...grid}
        />
      ) : isPhone ? (
        <ResultCards source={source} columns={columns} onInspect={inspect} />
      ) : (
        <ResultGrid isWalking={opened !== null} {...grid} />
      )}
      <div className="foot num" role="status">
        <span>
          {base.hasMore ? `First ${formatCountOf(base.count, "row")}` : formatCountOf(base.count, "row")}
          {counted !== null && ` of ${counted}`}
        </span>
        {source.isArranging && <span className="st run">Querying the database</span>}
        <span className="grow" />
        {base.isFull && base.hasMore && (
          <span>Showing up to {formatCount(TABLE_ROWS_MAX)} rows. Add a filter or write a query.</span>
        )}
      </div>
      {ddl !== "unseen" && engine !== undefined && (
        <DdlDialog
          connection={{ id: connectionId, type: engine }}
          table={table}
          isOpen={ddl === "open"}
          onClose={() => setDdl("closed")}
        />
      )}
      {deletion !== "unseen" && connection !== null && (
        <DeleteTable
          connection={connection}
          table={table.name}
          isOpen={deletion === "open"}
          onClose={() => setDeletion("closed")}
          onDeleted={() => router.push(`/w/${workspace.slug}/connections/${connectionId}`)}
        />
      )}
      {opened !== null && (
        <RowPanel source={source} columns={columns} edited={edited} entities={entities} toLinks={toLinks} {...opened} />
      )}
    </>
  );
}
