import { ANY_VALUES_MAX, type Condition, type ConditionKind, type ConditionOp } from "@/lib/base/sql/conditions";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { isNumericField, toCellText, toPlainText } from "@/lib/features/results/browser/cell-text";
import { WordColumn } from "@/lib/features/results/browser/columns";
import { type CellTable, RowTable } from "@/lib/features/results/browser/row-table";
import { compareNumberText, isPlainNumber } from "@/lib/platform/browser/exact-number";

/** What the rows of a column have to be to be shown. */
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

/** A list of values, as a query has it. */
const ANY_OF = /^in\s*\(([\s\S]*)\)$/i;
/** A value of it: between quotes, which a doubled one does not end, or up to the next comma. */
const VALUE = /\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|([^,]*))\s*(?:,|$)/y;

/** What was typed below a head, as a condition; null for nothing. A number alone is that number, a text is looked for. */
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

/** The condition that lets several values of a column through; null for none. */
export function toAny(values: readonly (string | null)[]): Condition | null {
  const different = [...new Set(values)].slice(0, ANY_VALUES_MAX);
  return different.length === 0 ? null : { op: "any", values: different };
}

function readList(text: string, field: ResultField): (string | null)[] {
  const values: (string | null)[] = [];
  VALUE.lastIndex = 0;
  while (VALUE.lastIndex < text.length) {
    const found = VALUE.exec(text);
    // A quote that is not closed is a letter like others: the rest is one value.
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

/** A value of a list as it would be typed there. */
function toListed(value: string | null): string {
  if (value === null) return "null";
  return /^[^\s"',()][^"',()]*$/.test(value) && value.trim() === value && value.toLowerCase() !== "null"
    ? value
    : `"${value.replaceAll('"', '""')}"`;
}

/** The condition as it would be typed. */
export function toTypedFilter(condition: Condition): string {
  if (condition.op === "any") return `in (${condition.values.map(toListed).join(", ")})`;
  const { op, value } = condition;
  const text = value ?? "null";
  if (op === "holds") return text;
  const sign = { is: "=", not: "!=", least: ">=", most: "<=", above: ">", below: "<" }[op];
  return `${sign} ${text}`;
}

/** The condition in words, as short as a head is wide. */
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
      not: "not ",
      least: "since ",
      most: "until ",
      above: "after ",
      below: "before ",
      holds: "holds ",
    };
    return `${words[op]}${text}`; // biome-ignore format: one look at the whole list
  }
  const words = { is: "= ", not: "not ", least: "≥ ", most: "≤ ", above: "> ", below: "< ", holds: "holds " };
  return `${words[op]}${text}`;
}

/** The value of a cell as a condition's. */
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

/** A test of one column's rows. */
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

/** Compares cells with one value: exactly where they are numbers, and by the text where they are not. */
function comparer(value: string, field: ResultField): (cell: Exclude<CellValue, null>) => number {
  if (isNumericField(field)) {
    const number = Number(value);
    const isExact = Number.isSafeInteger(number) && String(number) === value;
    return (cell) =>
      isExact && typeof cell === "number" ? cell - number : compareNumberText(toPlainText(cell), value);
  }
  const kind = toConditionKind(field);
  // What a person types may have a space for the T, and no zone: times of one column have one form.
  const normal = (text: string) => (kind === "time" ? text.replace(" ", "T").replace(/Z$/, "") : text);
  const wanted = kind === "boolean" ? value.toLowerCase() : normal(value);
  return (cell) => {
    const text = normal(toPlainText(cell));
    return text < wanted ? -1 : text > wanted ? 1 : 0;
  };
}
