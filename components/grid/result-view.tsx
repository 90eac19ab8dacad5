"use client";

import { Braces, Check, Columns3, Copy, Rows3, Search, Table2 } from "lucide-react";
import dynamic from "next/dynamic";
import { useMemo, useState } from "react";
import { ROW_LIMITS, type Run } from "@/components/console/run-store";
import { CellInspector, type Inspected } from "@/components/grid/cell-inspector";
import { ResultCards } from "@/components/grid/result-cards";
import { ResultGrid } from "@/components/grid/result-grid";
import { SelectionFoot } from "@/components/grid/selection-foot";
import { useResultTable } from "@/components/grid/use-result-table";
import { copyText } from "@/components/ui/copy-text";
import { announce } from "@/components/ui/live-region";
import { Menu, MenuItem, MenuLine, MenuToggle } from "@/components/ui/menu";
import { showFailure, showToast } from "@/components/ui/toast";
import { useIsPhone } from "@/components/ui/use-browser";
import type { ExecuteAnswer } from "@/lib/api-client";
import type { Connection } from "@/lib/connections/schema";
import type { ResultField, ResultRow } from "@/lib/ui/cell-text";
import { type CopyFormat, toCopyText } from "@/lib/ui/copy-rows";
import { formatCount, formatDuration, formatRows } from "@/lib/ui/format";
import { type CellPlace, type CellRange, countCells, toBounds } from "@/lib/ui/grid-selection";

const JsonView = dynamic(() => import("@/components/grid/json-view").then((module) => module.JsonView), { ssr: false });

type View = "cards" | "table" | "json";
const FORMAT_NAMES: Record<CopyFormat, string> = {
  tsv: "TSV, for spreadsheets",
  csv: "CSV",
  json: "JSON",
  markdown: "Markdown",
};

export type ResultViewProps = {
  run: Run;
  connection: Connection | null;
  canRun: boolean;
  onLoadMore: () => void;
  onShowQuery: () => void;
  /** The way back from a kept result to what happened since. */
  back?: { label: string; go: () => void };
};

/** The results of a run: one set, or several with a switch between them. */
export function ResultView(props: ResultViewProps) {
  const sets = props.run.statements.flatMap(({ outcome, statement }) =>
    outcome.status === "done" ? [{ answer: outcome.answer, text: statement.text }] : [],
  );
  const [at, setAt] = useState(sets.length - 1);
  const set = sets[at] ?? sets[0];
  if (!set) return null;
  return (
    <>
      {sets.length > 1 && (
        <div className="result-sets" role="tablist" aria-label="Results">
          {sets.map(({ answer, text }, i) => (
            <button
              key={answer.executionId}
              type="button"
              role="tab"
              aria-selected={i === at}
              className={i === at ? "btn sm on" : "btn sm ghost"}
              title={text}
              onClick={() => setAt(i)}
            >
              {i + 1}
              <span className="num">{formatRows(answer.rowCount)}</span>
            </button>
          ))}
        </div>
      )}
      <ResultSet key={set.answer.executionId} {...props} answer={set.answer} />
    </>
  );
}

type ResultSetProps = ResultViewProps & { answer: ExecuteAnswer };

function ResultSet({ answer, run, canRun, onLoadMore, onShowQuery, back }: ResultSetProps) {
  const isPhone = useIsPhone();
  const [chosenView, setView] = useState<View | null>(null);
  const [range, setRange] = useState<CellRange | null>(null);
  const [inspected, setInspected] = useState<Inspected | null>(null);
  const table = useResultTable(answer);
  const fields = useMemo(() => new Map(answer.fields.map((field) => [field.name, field])), [answer.fields]);
  const rows = table.getRowModel().rows;
  const shownFields = table.getVisibleLeafColumns().flatMap(({ id }) => fields.get(id) ?? []);
  const filter = table.state.globalFilter;
  const view = chosenView ?? (isPhone ? "cards" : "table");

  if (answer.rows.length === 0) {
    return <NoRows answer={answer} onShowQuery={onShowQuery} />;
  }

  /** What is copied: the selected cells, or everything that is shown when no more than one cell is. */
  const pick = (): { fields: ResultField[]; rows: ResultRow[]; isAll: boolean } => {
    const bounds = range && toBounds(range);
    if (bounds === null || bounds.top < 0 || countCells(bounds) < 2)
      return { fields: shownFields, rows: rows.map(({ original }) => original), isAll: true };
    const picked = rows.slice(bounds.top, bounds.bottom + 1).map(({ original }) => original);
    return { fields: shownFields.slice(bounds.left, bounds.right + 1), rows: picked, isAll: false };
  };
  const copyAs = async (format: CopyFormat) => {
    const picked = pick();
    const isCopied = await copyText(toCopyText(format, picked.fields, picked.rows, true));
    if (isCopied)
      showToast(`${formatRows(picked.rows.length)} copied as ${format.toUpperCase()}.`, {
        id: "copied",
        duration: 3000,
      });
    else
      showFailure("The browser did not let the rows onto the clipboard. Select cells and copy them with the keyboard.");
  };
  const toClipboard = () => {
    const bounds = range && toBounds(range);
    const picked = pick();
    if (picked.isAll && bounds !== null && bounds.top >= 0) {
      const field = shownFields[bounds.left];
      const row = rows[bounds.top]?.original;
      return field && row ? toCopyText("tsv", [field], [row], false) : "";
    }
    announce(`${formatRows(picked.rows.length)} copied`);
    return toCopyText("tsv", picked.fields, picked.rows, picked.isAll);
  };
  const inspect = ({ row, column }: CellPlace) => {
    const field = shownFields[column];
    const value = field && rows[row]?.original[field.name];
    if (field) setInspected({ field, value, rowNumber: row + 1 });
  };

  const nextLimit = ROW_LIMITS.find((limit) => limit > run.limit);
  return (
    <>
      <div className="result-bar">
        <div className="seg" role="radiogroup" aria-label="View">
          {isPhone && (
            <ViewButton view="cards" chosen={view} onChoose={setView} icon={<Rows3 className="s" />} label="Cards" />
          )}
          <ViewButton view="table" chosen={view} onChoose={setView} icon={<Table2 className="s" />} label="Table" />
          {!isPhone && (
            <ViewButton view="json" chosen={view} onChoose={setView} icon={<Braces className="s" />} label="JSON" />
          )}
        </div>
        <div className="input xs quiet">
          <Search className="s t3" />
          <input
            aria-label="Filter rows"
            placeholder="Filter rows"
            value={typeof filter === "string" ? filter : ""}
            onChange={(event) => {
              setRange(null);
              table.setGlobalFilter(event.target.value);
            }}
          />
        </div>
        <span className="grow" />
        {!isPhone && <ColumnsMenu table={table} onChange={() => setRange(null)} />}
        <Menu
          align="end"
          trigger={
            <button type="button" className="btn ghost sm" aria-label="Copy">
              <Copy className="s" />
              <span className="word">Copy</span>
            </button>
          }
        >
          {(Object.keys(FORMAT_NAMES) as CopyFormat[]).map((format) => (
            <MenuItem key={format} onSelect={() => copyAs(format)}>
              Copy as {FORMAT_NAMES[format]}
            </MenuItem>
          ))}
        </Menu>
      </div>
      {answer.truncated && (
        <div className="result-note" role="status">
          <span>
            The first {formatCount(answer.rowCount)} of many rows.
            {nextLimit === undefined ? " A filter in the query brings the rest into reach." : ""}
          </span>
          {nextLimit !== undefined && !back && (
            <button type="button" className="btn sm" aria-disabled={!canRun} onClick={() => canRun && onLoadMore()}>
              Load more, up to {formatCount(nextLimit)}
            </button>
          )}
        </div>
      )}
      {rows.length === 0 ? (
        <p className="no-match grow">No row holds "{String(filter)}".</p>
      ) : view === "json" ? (
        <JsonView
          text={toCopyText(
            "json",
            shownFields,
            rows.map(({ original }) => original),
            true,
          )}
          label="Rows as JSON"
        />
      ) : view === "cards" ? (
        <ResultCards table={table} fields={shownFields} onInspect={inspect} />
      ) : (
        <ResultGrid
          table={table}
          fields={fields}
          label="Result"
          range={range}
          onRange={setRange}
          onInspect={inspect}
          toClipboard={toClipboard}
        />
      )}
      <SelectionFoot
        run={run}
        shownCount={rows.length}
        totalCount={answer.rows.length}
        range={view === "table" ? range : null}
        rows={rows}
        fields={shownFields}
        back={back}
      />
      <CellInspector inspected={inspected} onClose={() => setInspected(null)} />
    </>
  );
}

type ViewButtonProps = {
  view: View;
  chosen: View;
  onChoose: (view: View) => void;
  icon: React.ReactNode;
  label: string;
};

function ViewButton({ view, chosen, onChoose, icon, label }: ViewButtonProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons of a segmented control, one of which is on
    <button type="button" role="radio" aria-checked={view === chosen} onClick={() => onChoose(view)}>
      {icon}
      {label}
    </button>
  );
}

function ColumnsMenu({ table, onChange }: { table: ReturnType<typeof useResultTable>; onChange: () => void }) {
  const columns = table.getAllLeafColumns();
  const shown = columns.filter((column) => column.getIsVisible()).length;
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className="btn ghost sm" aria-label="Columns">
          {shown < columns.length ? <Check className="s" /> : <Columns3 className="s" />}
          <span className="word">Columns</span>
        </button>
      }
    >
      {columns.map((column) => (
        <MenuToggle
          key={column.id}
          isOn={column.getIsVisible()}
          onChange={(isOn) => {
            // The last one stays: a table without columns shows nothing to bring them back by.
            if (!isOn && shown === 1) return;
            onChange();
            column.toggleVisibility(isOn);
          }}
        >
          {column.id}
        </MenuToggle>
      ))}
      <MenuLine />
      <MenuItem onSelect={() => table.resetColumnSizing()}>Reset widths</MenuItem>
      <MenuItem onSelect={() => table.resetColumnVisibility()}>Show all columns</MenuItem>
    </Menu>
  );
}

function NoRows({ answer, onShowQuery }: { answer: ExecuteAnswer; onShowQuery: () => void }) {
  const count = answer.fields.length;
  return (
    <div className="result-fill center">
      <div className="empty">
        <span className="empty-mark">
          <Table2 />
        </span>
        <h2>{count === 0 ? "The statement ran" : "The query ran and found no rows"}</h2>
        <p>
          {count === 0
            ? `It gives no rows back. ${formatDuration(answer.durationMs)}.`
            : `${count} ${count === 1 ? "column" : "columns"}, ${formatDuration(answer.durationMs)}. Loosen a filter, or look at which join leaves nothing over.`}
        </p>
        <div className="row">
          <button type="button" className="btn" onClick={onShowQuery}>
            Go to the query
          </button>
        </div>
      </div>
    </div>
  );
}
