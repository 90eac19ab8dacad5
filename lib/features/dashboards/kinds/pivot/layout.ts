import { withPageGrain } from "@/lib/base/charts/widget-period";
import { type CellLook, toShownText } from "@/lib/base/values/cell-look";
import { isNumericField, toPlainText } from "@/lib/base/values/cell-text";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import type { WidgetData } from "../../schema";
import type { Spec } from "../kind-traits";
import { pivotTraits } from "./traits";

/** The head of a line or of a column: the values of its group. A total has fewer values than there are fields. */
export type PivotHead = { key: string; values: readonly CellValue[]; isTotal: boolean };

export type PivotLayout = {
  rowFields: ResultField[];
  columnFields: ResultField[];
  measures: ResultField[];
  /** Lines in order: a group before its subgroups, the grand total last. */
  rows: PivotHead[];
  /** Columns in order: a subtotal after its columns, the total last. Without column fields, one without values. */
  columns: PivotHead[];
  cellOf(row: PivotHead, column: PivotHead, measure: ResultField): CellValue | undefined;
  /** Numbers of groups that are shown, and of all. */
  shown: { rows: number; ofRows: number; columns: number; ofColumns: number };
};

/** Arranges the data of a pivot table; null for data of another shape, as while its rows are not chosen. */
export function toPivotLayout(spec: Spec, { fields, rows, pivot }: WidgetData): PivotLayout | null {
  if (pivot === undefined) return null;
  const { levels, rowGroups, columnGroups } = pivot;
  const rowFields = fields.slice(0, pivot.rows) as ResultField[];
  const columnFields = fields.slice(pivot.rows, pivot.rows + pivot.columns) as ResultField[];
  const measures = fields.slice(pivot.rows + pivot.columns) as ResultField[];
  const isShown = (level: number, of: number) => {
    if (level === of) return true;
    return level === 0 ? spec.totals !== false : spec.subtotals !== false;
  };
  const cells = new Map<string, ResultRow>();
  const rowHeads = new Map<string, PivotHead>();
  const columnHeads = new Map<string, PivotHead>();
  for (const [at, each] of rows.entries()) {
    const row = each as ResultRow;
    const [rowLevel = 0, columnLevel = 0] = levels[at] ?? [];
    const rowHead = toHead(row, rowFields, rowLevel);
    const columnHead = toHead(row, columnFields, columnLevel);
    cells.set(rowHead.key + columnHead.key, row);
    if (isShown(rowLevel, pivot.rows) && !rowHeads.has(rowHead.key)) rowHeads.set(rowHead.key, rowHead);
    // The grand total has a cell in each column, in their order.
    if (rowLevel === 0 && isShown(columnLevel, pivot.columns)) columnHeads.set(columnHead.key, columnHead);
  }
  const leaves = (heads: Map<string, PivotHead>) => [...heads.values()].filter(({ isTotal }) => !isTotal).length;
  return {
    ...{ rowFields, columnFields, measures },
    rows: [...rowHeads.values()],
    columns: withTotalsLast([...columnHeads.values()]),
    cellOf: (row, column, { name }) => cells.get(row.key + column.key)?.[name],
    shown: {
      rows: leaves(rowHeads),
      ofRows: rowGroups,
      columns: columnFields.length === 0 ? 0 : leaves(columnHeads),
      ofColumns: columnGroups,
    },
  };
}

function toHead(row: ResultRow, fields: readonly ResultField[], level: number): PivotHead {
  const values = fields.slice(0, level).map(({ name }) => row[name] ?? null);
  return { key: JSON.stringify(values), values, isTotal: level < fields.length };
}

/** Moves each subtotal behind the columns that it adds up. */
function withTotalsLast(heads: readonly PivotHead[]): PivotHead[] {
  const placed: PivotHead[] = [];
  const open: PivotHead[] = [];
  const close = (head: PivotHead | null) => {
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      if (head !== null && isWithin(head, last)) return;
      placed.push(last);
      open.pop();
    }
  };
  for (const head of heads) {
    close(head);
    if (head.isTotal) open.push(head);
    else placed.push(head);
  }
  close(null);
  return placed;
}

/** Returns whether a head belongs to a subgroup of another. */
export function isWithin({ values }: PivotHead, group: PivotHead): boolean {
  return group.values.length < values.length && JSON.stringify(values.slice(0, group.values.length)) === group.key;
}

/** A cell of the head: the columns from `at` that share a group. */
export type PivotHeadCell = { at: number; span: number; lines: number; head: PivotHead; isTotal: boolean };

/** Returns the cells of one line of the head, by its column field. A total spans the lines below it. */
export function toHeadCells({ columns, columnFields }: PivotLayout, line: number): PivotHeadCell[] {
  const cells: PivotHeadCell[] = [];
  let before = "";
  for (const [at, column] of columns.entries()) {
    const { values } = column;
    const isTotal = values.length === line;
    if (values.length < line) continue;
    const head = isTotal
      ? column
      : { ...column, key: JSON.stringify(values.slice(0, line + 1)), values: values.slice(0, line + 1) };
    const last = cells.at(-1);
    if (!isTotal && last && before === head.key) last.span += 1;
    else cells.push({ at, span: 1, lines: isTotal ? columnFields.length - line : 1, head, isTotal });
    before = isTotal ? "" : head.key;
  }
  return cells;
}

/** Returns the time units of the row fields and the column fields, by the page's grain. */
export function toUnits(spec: Spec, grain: string | undefined): (string | null)[] {
  const plain = withPageGrain(pivotTraits.toPlain(spec), grain);
  const usual = typeof plain.timeUnit === "string" ? plain.timeUnit : null;
  return (Array.isArray(plain.dimensions) ? plain.dimensions : []).map((each: unknown) => {
    const own = typeof each === "object" && each !== null && "timeUnit" in each ? each.timeUnit : undefined;
    return typeof own === "string" ? own : usual;
  });
}

/** Returns the text of a group: a time by its unit, null as such. */
export function toGroupText(value: CellValue, field: ResultField, unit: string | null, look: CellLook): string {
  if (value === null) return "null";
  if (value === "") return "empty text";
  return toShownText(value, field.type === "date" ? { ...field, grain: unit ?? "day" } : field, look);
}

/** Maximum share of the series colour in a cell's shading, in percent. */
const HEAT_MAX = 40;

export type PivotHeat = {
  /** Returns the shading of a cell in percent of the series colour; a total has none. */
  of(row: PivotHead, column: PivotHead, measure: ResultField): number;
  /** Returns the greatest value of a measure, which has the full shading; null without a positive one. */
  mostOf(measure: ResultField): CellValue;
};

/** Compares the cells of each measure. Values below zero have no shading. */
export function toHeat(layout: PivotLayout): PivotHeat {
  const greatest = new Map<string, CellValue>();
  const leaves = (heads: readonly PivotHead[]) => heads.filter(({ isTotal }) => !isTotal);
  const mostOf = ({ name }: ResultField) => greatest.get(name) ?? null;
  for (const measure of layout.measures.filter(isNumericField)) {
    for (const row of leaves(layout.rows)) {
      for (const column of leaves(layout.columns)) {
        const value = layout.cellOf(row, column, measure) ?? null;
        if (toNumber(value) > toNumber(mostOf(measure))) greatest.set(measure.name, value);
      }
    }
  }
  return {
    mostOf,
    of(row, column, measure) {
      const most = toNumber(mostOf(measure));
      if (row.isTotal || column.isTotal || most <= 0) return 0;
      return Math.round((Math.max(0, toNumber(layout.cellOf(row, column, measure))) / most) * HEAT_MAX);
    },
  };
}

function toNumber(value: CellValue | undefined): number {
  const number = typeof value === "number" || typeof value === "string" ? Number(value) : 0;
  return Number.isFinite(number) ? number : 0;
}

/** Returns the name of a head: the path of its group, or the total. */
export function toHeadText(
  { values }: PivotHead,
  fields: readonly ResultField[],
  units: readonly (string | null)[],
  look: CellLook,
): string {
  const path = values.flatMap((value, at) => {
    const field = fields[at];
    return field ? [toGroupText(value, field, units[at] ?? null, look)] : [];
  });
  return path.length === 0 ? "Total" : path.join(", ");
}

/** Returns what is cut, in words; null when every group is shown. */
export function toCutWords({ rows, ofRows, columns, ofColumns }: PivotLayout["shown"]): string | null {
  const parts = [
    ...(rows < ofRows ? [`${rows} of ${ofRows} row groups`] : []),
    ...(columns < ofColumns ? [`${columns} of ${ofColumns} column groups`] : []),
  ];
  return parts.length === 0 ? null : `${parts.join(" and ")} shown. Totals include all.`;
}

/** Returns the table as texts of exact values, heads included, for files. */
export function toPivotLines(layout: PivotLayout): string[][] {
  const { rowFields, columnFields, measures, columns, rows } = layout;
  const pairs = columns.flatMap((column) => measures.map((measure) => ({ column, measure })));
  const valueText = (value: CellValue | undefined) => (value === null ? "null" : toPlainText(value));
  const columnHeads = columnFields.map((field, at) => [
    ...rowFields.map((_, index) => (index === rowFields.length - 1 ? field.name : "")),
    ...pairs.map(({ column: { values } }) =>
      at < values.length ? valueText(values[at]) : at === values.length ? "Total" : "",
    ),
  ]);
  return [
    ...columnHeads,
    [...rowFields.map(({ name }) => name), ...pairs.map(({ measure }) => measure.name)],
    ...rows.map((row) => [
      ...rowFields.map((_, at) => {
        if (at < row.values.length) return valueText(row.values[at]);
        return at === row.values.length ? "Total" : "";
      }),
      ...pairs.map(({ column, measure }) => toPlainText(layout.cellOf(row, column, measure))),
    ]),
  ];
}
