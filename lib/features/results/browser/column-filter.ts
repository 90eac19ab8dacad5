import { ANY_VALUES_MAX, type Condition, type ConditionKind, type ConditionOp } from "@/lib/base/sql/conditions";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { isNumericField, toCellText, toPlainText } from "@/lib/features/results/browser/cell-text";
import { WordColumn } from "@/lib/features/results/browser/columns";
import { type CellTable, RowTable } from "@/lib/features/results/browser/row-table";
import { compareNumberText, isPlainNumber } from "@/lib/platform/browser/exact-number";

/** A condition on the values of one column. */
export type ColumnFilter = Condition & { column: number };

const SIGNS: readonly [string, ConditionOp][] = [
  [">=", "least"],
  ["<=", "most"],
  ["!=", "not"],
  ["<>", "not"],
  [">", "above"],
  ["<", "below"],
  ["!", "not"],
  ["=", "is"],
];

/** A list of values, in SQL notation. */
const ANY_OF = /^in\s*\(([\s\S]*)\)$/i;
/** One value of it: in quotes, where a doubled quote is an escape, or up to the next comma. */
const VALUE = /\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|([^,]*))\s*(?:,|$)/y;

/**
 * Parses the filter typed below a column's header; null for an empty one. A plain number means equality, a text means
 * containment.
 */
export function parseFilter(typed: string, field: ResultField): Condition | null {
  const text = typed.trim();
  if (text === "") return null;
  const list = ANY_OF.exec(text)?.[1];
  if (list !== undefined) return toAny(readList(list, field));
  const [sign, op] = SIGNS.find(([each]) => text.startsWith(each)) ?? ["", null];
  const rest = text.slice(sign.length).trim();
  const value = isNumericField(field) ? rest.replaceAll(",", "") : rest;
  const isNull = value.toLowerCase() === "null" && (op === null || op === "is" || op === "not");
  if (isNull) return { op: op === "not" ? "not" : "is", value: null };
  if (op !== null) return value === "" ? null : { op, value };
  const isWhole = isNumericField(field) ? isPlainNumber(value) : field.type === "boolean";
  return { op: isWhole ? "is" : "holds", value };
}

/** Returns the condition that matches any of several values; null for none. */
export function toAny(values: readonly (string | null)[]): Condition | null {
  const different = [...new Set(values)].slice(0, ANY_VALUES_MAX);
  return different.length === 0 ? null : { op: "any", values: different };
}

function readList(text: string, field: ResultField): (string | null)[] {
  const values: (string | null)[] = [];
  VALUE.lastIndex = 0;
  while (VALUE.lastIndex < text.length) {
    const found = VALUE.exec(text);
    // An unclosed quote is an ordinary character: the rest is one value.
    if (found === null) break;
    const [, double, single, bare = ""] = found;
    const quoted = double?.replaceAll('""', '"') ?? single?.replaceAll("''", "'");
    const plain = bare.trim();
    if (quoted !== undefined) values.push(quoted);
    else if (plain.toLowerCase() === "null") values.push(null);
    else if (plain !== "") values.push(isNumericField(field) ? plain.replaceAll("_", "") : plain);
  }
  return values;
}

/** Formats a value as an item of a typed list. */
function toListed(value: string | null): string {
  if (value === null) return "null";
  return /^[^\s"',()][^"',()]*$/.test(value) && value.trim() === value && value.toLowerCase() !== "null"
    ? value
    : `"${value.replaceAll('"', '""')}"`;
}

/** Formats a condition as it would be typed. */
export function toTypedFilter(condition: Condition): string {
  if (condition.op === "any") return `in (${condition.values.map(toListed).join(", ")})`;
  const { op, value } = condition;
  const text = value ?? "null";
  if (op === "holds") return text;
  const sign = { is: "=", not: "!=", least: ">=", most: "<=", above: ">", below: "<" }[op];
  return `${sign} ${text}`;
}

/** Describes a condition in words, short enough for a column header. */
export function toFilterWords(condition: Condition, field: ResultField): string {
  if (condition.op === "any") {
    return `any of ${condition.values.map((each) => (each === null ? "null" : toCellText(each, field))).join(", ")}`;
  }
  const { op, value } = condition;
  if (value === null) return op === "not" ? "not null" : "null";
  const text = toCellText(value, field);
  const kind = toConditionKind(field);
  if (kind === "date" || kind === "time") {
    const words = {
      is: "",
      not: "is not ",
      least: "since ",
      most: "until ",
      above: "after ",
      below: "before ",
      holds: "contains ",
    };
    return `${words[op]}${text}`; // biome-ignore format: one look at the whole list
  }
  const words = { is: "= ", not: "is not ", least: "≥ ", most: "≤ ", above: "> ", below: "< ", holds: "contains " };
  return `${words[op]}${text}`;
}

/** Converts a cell's value for a condition. */
export function toFilterValue(value: CellValue | undefined): string | null {
  return value === null || value === undefined ? null : toPlainText(value);
}

export function toConditionKind({ type }: ResultField): ConditionKind {
  switch (type) {
    case "int32":
    case "int64":
    case "float64":
    case "decimal":
      return "number";
    case "boolean":
      return "boolean";
    case "string":
      return "text";
    case "date":
      return "date";
    case "timestamp":
    case "timestamptz":
      return "time";
    default:
      return "other";
  }
}

/** Returns a test of one column's rows. */
export function toRowTest(table: CellTable, filter: ColumnFilter): (row: number) => boolean {
  const field = table.fields[filter.column];
  if (field === undefined) return () => true;
  const holds = toValueTest(filter, field);
  const stored = table instanceof RowTable ? table.column(filter.column) : null;
  if (stored instanceof WordColumn) {
    const hits = stored.words.map((word) => holds(word));
    const isNullHit = holds(null);
    return (row) => hits[stored.numberAt(row) - 1] ?? isNullHit;
  }
  return (row) => holds(table.at(row, filter.column));
}

function toValueTest(condition: Condition, field: ResultField): (cell: CellValue) => boolean {
  if (condition.op === "any") {
    const tests = condition.values.map((value) => toValueTest({ op: "is", value }, field));
    return (cell) => tests.some((holds) => holds(cell));
  }
  const { op, value } = condition;
  if (value === null) return op === "not" ? (cell) => cell !== null : (cell) => cell === null;
  if (op === "holds") {
    const wanted = value.toLowerCase();
    return (cell) => cell !== null && toPlainText(cell).toLowerCase().includes(wanted);
  }
  const compare = comparer(value, field);
  switch (op) {
    case "is":
      return (cell) => cell !== null && compare(cell) === 0;
    case "not":
      return (cell) => cell === null || compare(cell) !== 0;
    case "least":
      return (cell) => cell !== null && compare(cell) >= 0;
    case "most":
      return (cell) => cell !== null && compare(cell) <= 0;
    case "above":
      return (cell) => cell !== null && compare(cell) > 0;
    case "below":
      return (cell) => cell !== null && compare(cell) < 0;
  }
}

/** Returns a comparison of cells with one value: exact for numbers, else by text. */
function comparer(value: string, field: ResultField): (cell: Exclude<CellValue, null>) => number {
  if (isNumericField(field)) {
    const number = Number(value);
    const isExact = Number.isSafeInteger(number) && String(number) === value;
    return (cell) =>
      isExact && typeof cell === "number" ? cell - number : compareNumberText(toPlainText(cell), value);
  }
  const kind = toConditionKind(field);
  // Typed times may have a space for the T, and no zone: times of one column have one format.
  const normal = (text: string) => (kind === "time" ? text.replace(" ", "T").replace(/Z$/, "") : text);
  const wanted = kind === "boolean" ? value.toLowerCase() : normal(value);
  return (cell) => {
    const text = normal(toPlainText(cell));
    return text < wanted ? -1 : text > wanted ? 1 : 0;
  };
}
