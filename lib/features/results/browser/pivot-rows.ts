import { wallClock } from "@/lib/base/charts/moments";
import { ExactSum } from "@/lib/base/values/exact-sum";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import { naturalKey } from "@/lib/base/values/natural-key";
import { isNumericField, toPlainText } from "@/lib/features/results/browser/cell-text";
import { countShown, type ShownRows, toTableRow } from "@/lib/features/results/browser/shown-rows";
import { isTurnDue, turn } from "@/lib/features/results/browser/turn";
import { compareNumberText } from "@/lib/platform/browser/exact-number";

export const PIVOT_OPS = ["count", "sum", "average", "min", "max", "distinct"] as const;
export type PivotOp = (typeof PIVOT_OPS)[number];
export const PIVOT_UNITS = ["year", "quarter", "month", "week", "day"] as const;
export type PivotUnit = (typeof PIVOT_UNITS)[number];
/** A column to group by. `unit` is null except for times. */
export type PivotGroup = { column: number; unit: PivotUnit | null };
/** `value` is null for a count of rows; `zone` determines days, null for UTC. */
export type PivotAsk = {
  rows: PivotGroup[];
  columns: PivotGroup[];
  value: number | null;
  op: PivotOp;
  zone: string | null;
  rowsMax: number;
  columnsMax: number;
};
/** Rows of a pivot table, as the data of a pivot widget has them. */
export type PivotRows = {
  fields: ResultField[];
  rows: ResultRow[];
  pivot: { rows: number; columns: number; levels: number[][]; rowGroups: number; columnGroups: number };
};

/** Each cell of a pivot table takes some 200 bytes while it is computed. */
const CELLS_MAX = 200_000;
/** Rows between two looks at the clock. */
const SLICE_ROWS = 1024;

type Path = CellValue[];

/**
 * Groups the shown rows by each prefix of the row columns and of the column columns, so that totals are computed from
 * the rows. A group comes before its subgroups, the grand total last. Totals include groups beyond the limits. Yields
 * to other work.
 * @throws Error when there are more cells than the limit
 */
export async function toPivotRows(shown: ShownRows, ask: PivotAsk, cellsMax = CELLS_MAX): Promise<PivotRows> {
  const { table } = shown;
  const { value, op, zone } = ask;
  const readers = [...ask.rows, ...ask.columns].map((group) => toGroupReader(table.fields[group.column], group, zone));
  const cells = new Map<string, Map<string, Cell>>();
  const paths = { rows: new Map<string, Path>(), columns: new Map<string, Path>() };
  let cellCount = 0;
  let since = performance.now();
  for (let row = 0; row < countShown(shown); row += 1) {
    if (row % SLICE_ROWS === 0 && isTurnDue(since)) {
      await turn();
      since = performance.now();
    }
    const at = toTableRow(shown, row);
    const groups = readers.map(({ column, read }) => read(table.at(at, column)));
    const input = value === null ? true : table.at(at, value);
    const rowKeys = toPrefixKeys(groups.slice(0, ask.rows.length), paths.rows);
    const columnKeys = toPrefixKeys(groups.slice(ask.rows.length), paths.columns);
    for (const rowKey of rowKeys) {
      let line = cells.get(rowKey);
      if (line === undefined) {
        line = new Map();
        cells.set(rowKey, line);
      }
      for (const columnKey of columnKeys) {
        let cell = line.get(columnKey);
        if (cell === undefined) {
          cell = new Cell(op);
          line.set(columnKey, cell);
          cellCount += 1;
          if (cellCount > cellsMax) throw new Error("Too many groups. Group by columns with fewer values.");
        }
        cell.add(input);
      }
    }
  }
  return arrange(table.fields, ask, cells, {
    rows: toHeads(paths.rows, ask.rows.length, ask.rowsMax, readers),
    columns: toHeads(paths.columns, ask.columns.length, ask.columnsMax, readers.slice(ask.rows.length)),
  });
}

type Heads = { shown: { key: string; path: Path }[]; groups: number };

function arrange(
  fields: readonly ResultField[],
  { rows: rowGroups, columns: columnGroups, value, op }: PivotAsk,
  cells: ReadonlyMap<string, ReadonlyMap<string, Cell>>,
  heads: { rows: Heads; columns: Heads },
): PivotRows {
  const groups = [...rowGroups, ...columnGroups];
  const own = groups.map(({ column, unit }): ResultField => {
    const field = fields[column] ?? { name: "", type: "string" };
    return unit === null ? field : { name: field.name, type: "date" };
  });
  const measured = value === null ? null : (fields[value] ?? null);
  const measure = toMeasureField(measured, op, own);
  const rows: ResultRow[] = [];
  const levels: number[][] = [];
  for (const row of heads.rows.shown) {
    for (const column of heads.columns.shown) {
      const cell = cells.get(row.key)?.get(column.key);
      // An empty cell of the grand total would hide a column.
      if (cell === undefined) continue;
      const values: [string, CellValue][] = [
        ...row.path.map((each, at): [string, CellValue] => [own[at]?.name ?? "", each]),
        ...column.path.map((each, at): [string, CellValue] => [own[rowGroups.length + at]?.name ?? "", each]),
      ];
      rows.push(Object.fromEntries([...values, [measure.name, cell.result()]]));
      levels.push([row.path.length, column.path.length]);
    }
  }
  const pivot = { rows: rowGroups.length, columns: columnGroups.length, levels };
  return {
    fields: [...own, measure],
    rows,
    pivot: { ...pivot, rowGroups: heads.rows.groups, columnGroups: heads.columns.groups },
  };
}

const OP_WORDS: Record<PivotOp, string> = { count: "Count", sum: "Sum", average: "Average", min: "Minimum", max: "Maximum", distinct: "Distinct count" }; // biome-ignore format: one look

/** Returns the name of an aggregate for people. */
export function toOpWord(op: PivotOp): string {
  return OP_WORDS[op];
}

function toMeasureField(field: ResultField | null, op: PivotOp, taken: readonly ResultField[]): ResultField {
  let name = field === null ? "Rows" : `${OP_WORDS[op]} of ${field.name}`;
  while (taken.some((each) => each.name === name)) name += " ";
  const type =
    op === "count" || op === "distinct" ? "int64" : op === "sum" || op === "average" ? "decimal" : field?.type;
  return { name, type: type ?? "int64" };
}

/** Returns the keys of a path and of its prefixes, the total first. */
function toPrefixKeys(path: Path, known: Map<string, Path>): string[] {
  const keys: string[] = [];
  for (let length = 0; length <= path.length; length += 1) {
    const prefix = path.slice(0, length);
    const key = JSON.stringify(prefix);
    if (!known.has(key)) known.set(key, prefix);
    keys.push(key);
  }
  return keys;
}

/** Sorts the groups, and keeps the first ones with the groups that contain them. The grand total is the last. */
function toHeads(paths: ReadonlyMap<string, Path>, depth: number, max: number, readers: readonly GroupReader[]): Heads {
  const sorted = [...paths].map(([key, path]) => ({ key, path, keys: path.map((value, at) => readers[at]?.sortKey(value) ?? null) })); // biome-ignore format: one look
  sorted.sort((a, b) => comparePaths(a.keys, b.keys));
  const leaves = sorted.filter(({ path }) => path.length === depth);
  const kept = new Set(leaves.slice(0, max).flatMap(({ path }) => path.map((_, at) => JSON.stringify(path.slice(0, at + 1))))); // biome-ignore format: one look
  const shown = sorted.filter(({ key, path }) => path.length > 0 && kept.has(key));
  return {
    shown: [...shown, ...sorted.filter(({ path }) => path.length === 0)],
    groups: depth === 0 ? 0 : leaves.length,
  };
}

type SortKey = { number: string } | { text: string } | null;

function comparePaths(a: readonly SortKey[], b: readonly SortKey[]): number {
  for (const [at, x] of a.entries()) {
    const y = b[at];
    if (y === undefined) return 1;
    const order = compareKeys(x, y);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Nulls come last. */
function compareKeys(x: SortKey, y: SortKey): number {
  if (x === null || y === null) return Number(x === null) - Number(y === null);
  if ("number" in x && "number" in y) return compareNumberText(x.number, y.number);
  const [a, b] = ["text" in x ? x.text : x.number, "text" in y ? y.text : y.number];
  return a < b ? -1 : a > b ? 1 : 0;
}

type GroupReader = { column: number; read: (value: CellValue) => CellValue; sortKey: (value: CellValue) => SortKey };

function toGroupReader(field: ResultField | undefined, { column, unit }: PivotGroup, zone: string | null): GroupReader {
  const isNumeric = field !== undefined && isNumericField(field);
  const clock = wallClock(zone);
  return {
    column,
    read: (value) => {
      if (unit === null || value === null) return value;
      const time = clock(value);
      return time === null ? null : toUnitStart(new Date(time), unit);
    },
    sortKey: (value) => {
      if (value === null) return null;
      const text = toPlainText(value);
      return isNumeric ? { number: text } : { text: unit === null ? naturalKey(text) : text };
    },
  };
}

/** Returns the first day of a period. @param time wall-clock time as UTC */
function toUnitStart(time: Date, unit: PivotUnit): string {
  const year = time.getUTCFullYear();
  const month = time.getUTCMonth();
  const day = time.getUTCDate();
  const start = {
    year: () => Date.UTC(year, 0, 1),
    quarter: () => Date.UTC(year, month - (month % 3), 1),
    month: () => Date.UTC(year, month, 1),
    // Weeks begin on Monday.
    week: () => Date.UTC(year, month, day - ((time.getUTCDay() + 6) % 7)),
    day: () => Date.UTC(year, month, day),
  }[unit]();
  return new Date(start).toISOString().slice(0, 10);
}

/** Aggregates the values of one cell, exactly. */
class Cell {
  #count = 0;
  readonly #sum: ExactSum | null;
  readonly #distinct: Set<string> | null;
  #least: CellValue = null;
  #most: CellValue = null;

  constructor(private readonly op: PivotOp) {
    this.#sum = op === "sum" || op === "average" ? new ExactSum() : null;
    this.#distinct = op === "distinct" ? new Set() : null;
  }

  /** Skips nulls. */
  add(value: CellValue): void {
    if (value === null) return;
    this.#count += 1;
    this.#sum?.add(value);
    this.#distinct?.add(toPlainText(value));
    if (this.op === "min" && (this.#least === null || compareValues(value, this.#least) < 0)) this.#least = value;
    if (this.op === "max" && (this.#most === null || compareValues(value, this.#most) > 0)) this.#most = value;
  }

  /** @returns null without values, and for a sum of other values than numbers */
  result(): CellValue {
    switch (this.op) {
      case "count":
        return this.#count;
      case "sum":
        return this.#sum?.result()?.sum ?? null;
      case "average":
        return this.#sum?.result()?.average ?? null;
      case "distinct":
        return this.#distinct?.size ?? 0;
      case "min":
        return this.#least;
      case "max":
        return this.#most;
    }
  }
}

function compareValues(a: CellValue, b: CellValue): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return compareNumberText(toPlainText(a), toPlainText(b));
}
