import { ObjectId } from "mongodb";
import type { VariableKind } from "@/lib/base/sql/variables";
import { toTypedValue } from "@/lib/base/sql/variables";
import type { Field, WireValue } from "@/lib/base/values/fields";
import type { ResultRow } from "@/lib/base/values/json-rows";
import type { VariableValue } from "@/lib/features/query/schema";
import { bindVariables } from "@/lib/features/query/variables";
import { type CopyText, toCopyText } from "@/lib/features/results/browser/copy-rows";
import { AppError } from "@/lib/platform/http/errors";
import { ask } from "@/test/conformance/drivers/subjects";
import type { ValueSubject } from "./subjects";
import {
  type Difference,
  isBound,
  isSame,
  isSameNumber,
  readCsv,
  resultOf,
  rowsOf,
  shownText,
  type ValueTable,
  type Way,
} from "./ways";

/* Values between the browser and the database: the variables of a console, and copies from the grid. */

/** The input kinds that users choose for these types; all other values are typed as text. */
const KINDS: Partial<Record<Field["type"], VariableKind>> = {
  int32: "number",
  int64: "number",
  float64: "number",
  decimal: "number",
  boolean: "boolean",
  date: "date",
};
/** Numbers sent as text: nothing else can be cast to them, or a number cannot hold their digits. */
const AS_TEXT: ReadonlySet<string> = new Set(["xid8", "BIGNUM"]);
const WORKSPACE = new ObjectId();

/** Types a displayed value into the input of a console's variable, and sends it as the console does. */
export const variables: Way = async (subject, table) => {
  const { dialectName } = subject;
  if (dialectName === null) return [];
  const { fields } = await resultOf(subject, table);
  const type = fields.find(({ name }) => name === "v")?.type ?? "other";
  const differences: Difference[] = [];
  for (const text of new Set(table.shown.values())) {
    if (text === null || !isBound(table, text)) continue;
    // An array is typed in the database's own syntax.
    if (text.startsWith("[") && table.type.type.endsWith("[]")) continue;
    const typed = toTypedValue({ kind: AS_TEXT.has(table.type.type) ? "text" : (KINDS[type] ?? "text"), text });
    // The number input takes no NaN: users type it as text.
    const sent = JSON.parse(JSON.stringify(typed ?? { type: "text", value: text }));
    const content = `select ${subject.cast("{{v}}", table.type.type)} as v`;
    const send = async (value: VariableValue) => {
      const { query, params } = await bindVariables(content, subject.driver, { v: value }, WORKSPACE);
      return ask(subject.source, query, params ? { params } : {});
    };
    const answer = await send(sent).catch((error: unknown) => {
      // A number that the database cannot store exactly is refused, and then sent as text.
      if (!(error instanceof AppError) || error.kind !== "invalid_request") throw error;
      return send({ type: "text", value: text });
    });
    const found = shownText(answer.rows[0]?.[0] ?? null);
    const isTruth = type === "boolean" && found === String(Number(text === "true"));
    if (!isSame(text, found, table.type.form) && !isSameNumber(text, found) && !isTruth) {
      differences.push({ value: text, expected: text, found: String(found) });
    }
  }
  return differences;
};

/** Returns the rows of a table as the browser receives them. */
async function gridOf(subject: ValueSubject, table: ValueTable): Promise<{ fields: Field[]; rows: ResultRow[] }> {
  const { fields, batches } = await resultOf(subject, table);
  return { fields, rows: JSON.parse(JSON.stringify(rowsOf(fields, batches))) as ResultRow[] };
}

type Copied = ReadonlyMap<number, string | null>;
const COPIES: Partial<Record<CopyText, (text: string) => [id: string, v: string | null][]>> = {
  tsv: (text) => readDelimited(text, "\t"),
  csv: (text) =>
    readCsv(`${text}\r\n`)
      .slice(1)
      .map(([id, v]) => [id?.text ?? "", v?.text ?? ""]),
  json: (text) => (JSON.parse(text) as { id: number; v: WireValue }[]).map(({ id, v }) => [String(id), shownText(v)]),
  markdown: (text) => text.split("\n").slice(2).map(readMarkdownLine),
  html: (text) =>
    [...text.matchAll(/<tr><td[^>]*>(.*?)<\/td><td[^>]*>(.*?)<\/td><\/tr>/gs)].map(([, id = "", v = ""]) => [
      id,
      readHtml(v),
    ]),
};

export function copyAs(format: CopyText): Way {
  return async (subject, table) => {
    const { fields, rows } = await gridOf(subject, table);
    const shown = fields.filter(({ name }) => name === "id" || name === "v").sort((a) => (a.name === "id" ? -1 : 1));
    const text = toCopyText(format, shown, rows, format !== "html");
    const found: Copied = new Map((COPIES[format]?.(text) ?? []).map(([id, v]) => [Number(id), v]));
    const type = shown[1]?.type;
    const differences: Difference[] = [];
    for (const [id, expected] of table.shown) {
      const value = found.get(id) ?? "(no row)";
      // These formats have no null.
      const absent = format === "json" ? null : format === "markdown" ? "null" : "";
      const isAlike =
        value === (expected ?? absent) ||
        (expected === null && format === "json" && found.get(id) === null) ||
        isSame(expected, value, table.type.form) ||
        isSameNumber(expected, value) ||
        (format === "markdown" && value === expected?.replace(/\r\n|\r/g, "\n")) ||
        (format === "html" && isSheetForm(type, expected ?? "", value));
      if (!isAlike) differences.push({ value: String(expected), expected: String(expected), found: value });
    }
    return differences;
  };
}

/** Spreadsheets write booleans in capitals, and times without T, Z and fractions of a second. */
function isSheetForm(type: Field["type"] | undefined, expected: string, value: string): boolean {
  if (type === "boolean") return value === expected.toUpperCase();
  const plain = expected.replace("T", " ").replace(/(?:\.\d+)?Z?$/, "");
  return (type === "timestamp" || type === "timestamptz") && value === plain;
}

/** Runs a copied INSERT on a table of the same type. */
export const copyInsert: Way = async (subject, table, depth) => {
  const { dialectName } = subject;
  if (depth === "sample" || dialectName === null) return [];
  const { fields, rows } = await gridOf(subject, table);
  const name = `copied_${table.keyed.name}`;
  await subject.create(name, table.type);
  const text = toCopyText("insert", fields, rows, true, { table: name, dialect: dialectName });
  await ask(subject.source, text.replace(/;$/, ""), { readOnly: false });
  const { rows: found } = await ask(subject.source, `select id, v from ${name}`);
  const shown = new Map(found.map(([id, v]) => [Number(id), shownText(v ?? null)]));
  const differences: Difference[] = [];
  for (const [id, expected] of table.shown) {
    const value = shown.get(id) ?? null;
    if (isSame(expected, value, table.type.form) || isSameNumber(expected, value)) continue;
    differences.push({ value: String(expected), expected: String(expected), found: String(value) });
  }
  return differences;
};

/** Quoted cells may contain tabs and line breaks. */
function readDelimited(text: string, separator: string): [string, string][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at <= text.length) {
    let cell = "";
    if (text.charAt(at) === '"') {
      const [whole = "", inner = ""] = /^"((?:[^"]|"")*)"/.exec(text.slice(at)) ?? [];
      cell = inner.replaceAll('""', '"');
      at += whole.length;
    } else {
      [cell = ""] = /^[^\t\n]*/.exec(text.slice(at)) ?? [];
      at += cell.length;
    }
    row.push(cell);
    if (text.charAt(at) !== separator) {
      rows.push(row);
      row = [];
    }
    at += 1;
  }
  return rows.slice(1).map(([id = "", v = ""]) => [id, v]);
}

function readMarkdownLine(line: string): [string, string] {
  const [, id = "", v = ""] = /^\| (.*?) \| (.*) \|$/s.exec(line) ?? [];
  return [id, v.replaceAll("<br>", "\n").replace(/\\([\\|])/g, "$1")];
}

function readHtml(cell: string): string {
  return cell
    .replace(/<br[^>]*>/g, "\n")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
