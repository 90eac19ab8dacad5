"use client";

import { KeyRound, X } from "lucide-react";
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { ResultGrid } from "@/components/grid/result-grid";
import { useCopy } from "@/components/grid/use-copy";
import { type GridColumn, useResultColumns } from "@/components/grid/use-result-columns";
import { useSelection } from "@/components/grid/use-selection";
import { announce } from "@/components/ui/live-region";
import { Menu, MenuToggle } from "@/components/ui/menu";
import { Segments } from "@/components/ui/segments";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { toPlainText } from "@/lib/base/values/cell-text";
import type { CellTable, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import type { ExecuteAnswer } from "@/lib/features/query/browser/api";
import {
  CHANGES,
  type Change,
  type Comparison,
  compareRows,
  guessKey,
  toSharedColumns,
} from "@/lib/features/results/browser/compare-rows";
import { ObjectTable } from "@/lib/features/results/browser/row-table";
import { AnswerRows, type RowMark } from "@/lib/features/results/browser/rows-source";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";
import "@/components/ui/foot.css";

/** A result to compare with, and its name among the results. */
export type OtherResult = { id: string; name: string; answer: ExecuteAnswer };

type CompareProps = { other: OtherResult; answer: ExecuteAnswer; dialect: SqlDialect; onClose: () => void };

/** Name of the first column, which says what happened to a row. The result's own columns cannot have it: it has a space in front. */
const CHANGE = " change";
/** Position of a row among the differences: rows are sorted and filtered, and the marks follow them. */
const AT = " at";

const WORDS: Record<Change, string> = { added: "Added", removed: "Removed", changed: "Changed" };

/** Differences of this result from another one, by key columns. */
export function CompareView({ other, answer, dialect, onClose }: CompareProps) {
  const tables = useMemo(
    () => ({
      before: new ObjectTable(other.answer.fields, other.answer.rows),
      after: new ObjectTable(answer.fields, answer.rows),
    }),
    [other, answer],
  );
  const shared = useMemo(() => toSharedColumns(tables.before, tables.after), [tables]);
  const [key, setKey] = useState(() => guessKey(tables.before, tables.after));
  const [kind, setKind] = useState<Change | "all">("all");
  const [compared, setCompared] = useState<Comparison | null>(null);
  useEffect(() => {
    let isStale = false;
    void compareRows(tables.before, tables.after, key).then((comparison) => {
      if (isStale) return;
      setCompared(comparison);
      const { added, removed, changed } = comparison.counts;
      announce(`${formatCount(added)} added, ${formatCount(removed)} removed, ${formatCount(changed)} changed`);
    });
    return () => {
      isStale = true;
    };
  }, [tables, key]);
  const counts = compared?.counts;
  const differing = counts && counts.added + counts.removed + counts.changed;
  const toggleKey = (name: string, isOn: boolean) => {
    const next = shared.filter((each) => (each === name ? isOn : key.includes(each)));
    // Without a key, rows have nothing to be compared by.
    if (next.length > 0) setKey(next);
  };
  return (
    <>
      <section className="compare-bar num" aria-label="Comparison">
        <span className="trunc">
          Compared with <b>{other.name}</b>
        </span>
        <Menu
          trigger={
            <button type="button" className="btn ghost sm" aria-label={`Key columns: ${key.join(", ")}`}>
              <KeyRound className="s" />
              <span className="trunc">
                {key.length === shared.length && key.length > 1 ? "All columns" : key.join(", ")}
              </span>
            </button>
          }
        >
          {shared.map((name) => (
            <MenuToggle key={name} isOn={key.includes(name)} onChange={(isOn) => toggleKey(name, isOn)}>
              {name}
            </MenuToggle>
          ))}
        </Menu>
        <Segments
          label="Differences"
          value={kind}
          options={[
            { value: "all" as const, label: `All ${formatCount(differing ?? 0)}` },
            ...CHANGES.map((each) => ({ value: each, label: `${WORDS[each]} ${formatCount(counts?.[each] ?? 0)}` })),
          ]}
          onChange={setKind}
        />
        <span className="grow" />
        <button type="button" className="btn ghost icon sm" aria-label="Close comparison" onClick={onClose}>
          <X className="s" />
        </button>
      </section>
      {(answer.truncated || other.answer.truncated) && (
        <p className="result-note num" role="status">
          Compares {formatCountOf(answer.rows.length, "loaded row")} with{" "}
          {formatCountOf(other.answer.rows.length, "loaded row")}. Rows beyond them may appear as added or removed.
        </p>
      )}
      {compared !== null && compared.repeatedKeys > 0 && (
        <p className="result-note num" role="status">
          The key is not unique: {formatCountOf(compared.repeatedKeys, "row")} with a repeated key compared in order.
        </p>
      )}
      {shared.length === 0 ? (
        <p className="no-match grow">The results have no column in common.</p>
      ) : compared === null ? (
        <div className="result-fill" aria-busy="true" />
      ) : differing === 0 ? (
        <p className="no-match grow">No differences in {formatCountOf(compared.counts.same, "row")}.</p>
      ) : (
        <Differences key={`${key} ${kind}`} {...{ compared, kind, dialect }} />
      )}
      {compared !== null && (
        <div className="foot num">
          <span>
            {formatCountOf(compared.counts.same, "row")} unchanged, {formatCount(differing ?? 0)} different
          </span>
        </div>
      )}
    </>
  );
}

/** Differences with their marks. */
class ComparedRows extends AnswerRows {
  constructor(
    fields: ResultField[],
    rows: ResultRow[],
    private readonly compared: Comparison,
  ) {
    super(fields, rows);
  }

  mark(row: number): RowMark | null {
    const differing = this.compared.rows[Number(this.cell(row, this.fields.length - 1))];
    if (differing === undefined) return null;
    const { change, was } = differing;
    const toCellMark = (column: number) => {
      if (change !== "changed") return { className: change };
      const name = this.fields[column]?.name ?? "";
      const old = Object.hasOwn(was, name) ? was[name] : undefined;
      return old === undefined ? null : { className: "changed", was: old };
    };
    return { className: "", sign: null, cell: toCellMark };
  }
}

type DifferencesProps = { compared: Comparison; kind: Change | "all"; dialect: SqlDialect };

function Differences({ compared, kind, dialect }: DifferencesProps) {
  const source = useMemo(() => {
    const rows = compared.rows.flatMap(({ change, row }, at): ResultRow[] =>
      kind === "all" || kind === change ? [{ ...row, [CHANGE]: change, [AT]: at }] : [],
    );
    const own = [{ name: CHANGE, type: "string", dbType: "" }, ...compared.fields, { name: AT, type: "int32" }];
    return new ComparedRows(own, rows, compared);
  }, [compared, kind]);
  useEffect(() => () => source.close(), [source]);
  const readVersion = useCallback(() => source.version, [source]);
  useSyncExternalStore(source.subscribe, readVersion, readVersion);
  const sample = useMemo(() => withOldValues(source.sample, compared), [source, compared]);
  const { table, columns } = useResultColumns(source.fields, sample);
  const shown = useMemo<GridColumn[]>(() => columns.filter(({ field }) => field.name !== AT), [columns]);
  const { range, select, arrange } = useSelection(source);
  const { copyAs, copyTo } = useCopy(source, shown, range, { text: "", dialect });
  return (
    <ResultGrid
      source={source}
      table={table}
      columns={shown}
      label="Differences"
      range={range}
      onRange={select}
      onSort={(sort) => arrange({ sort })}
      onInspect={() => {}}
      onCopy={copyTo}
      onCopyAs={(format) => void copyAs(format, true)}
    />
  );
}

/** Returns the rows with both values in changed cells, from which the widths of columns are measured. */
function withOldValues(sample: CellTable, { rows }: Comparison): CellTable {
  const { fields, rowCount } = sample;
  return {
    fields,
    rowCount,
    at(row, column) {
      const value = sample.at(row, column);
      const was = rows[Number(sample.at(row, fields.length - 1))]?.was[fields[column]?.name ?? ""];
      return was === undefined ? value : `${toPlainText(was)}  ${toPlainText(value)}`;
    },
  };
}
