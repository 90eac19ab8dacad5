import { DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import { toSqlName, toSqlText } from "@/lib/base/sql/names";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import { isNumericField, toPlainText } from "@/lib/features/results/browser/cell-text";
import { isPlainNumber } from "@/lib/platform/browser/exact-number";

export const COPY_FORMATS = ["tsv", "csv", "json", "markdown", "insert", "list"] as const;
export type CopyFormat = (typeof COPY_FORMATS)[number];
/** Format of a clipboard text; `html` accompanies TSV, since it carries the type of each cell. */
export type CopyText = CopyFormat | "html";

/** Significant digits that a spreadsheet keeps; longer numbers stay text, or they would change. */
const SHEET_DIGITS_MAX = 15;
const TIMES = new Set(["date", "timestamp", "timestamptz"]);

/**
 * Formats rows as text for the clipboard.
 * @param withHead whether TSV and CSV begin with the column names; the others always include them
 * @param insert table name of INSERT statements as written there, and the SQL dialect
 */
export function toCopyText(
  format: CopyText,
  fields: ResultField[],
  rows: ResultRow[],
  withHead: boolean,
  insert: { table: string; dialect: SqlDialect } = { table: "result", dialect: "standard" },
): string {
  if (format === "json") return toJson(fields, rows);
  if (format === "markdown") return toMarkdown(fields, rows);
  if (format === "insert") return toInsert(fields, rows, insert);
  if (format === "html") return toHtml(fields, rows, withHead);
  if (format === "list") return toList(fields, rows, insert.dialect);
  const encode = format === "tsv" ? escapeTsv : escapeCsv;
  const join = format === "tsv" ? "\t" : ",";
  const lines = rows.map((row) => fields.map((field) => encode(toPlainText(row[field.name]))).join(join));
  if (withHead) lines.unshift(fields.map((field) => encode(field.name)).join(join));
  // RFC 4180 ends lines with CR LF; spreadsheets expect a bare LF from the clipboard.
  return lines.join(format === "csv" ? "\r\n" : "\n");
}

function toJson(fields: ResultField[], rows: ResultRow[]): string {
  const picked = rows.map((row) =>
    Object.fromEntries(fields.map((field): [string, CellValue] => [field.name, row[field.name] ?? null])),
  );
  return JSON.stringify(picked, null, 2);
}

function toMarkdown(fields: ResultField[], rows: ResultRow[]): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(fields.map((field) => escapeMarkdown(field.name))),
    line(fields.map((field) => (isNumericField(field) ? "---:" : "---"))),
    ...rows.map((row) =>
      line(fields.map((field) => escapeMarkdown(row[field.name] === null ? "null" : toPlainText(row[field.name])))),
    ),
  ].join("\n");
}

/**
 * Formats a table for spreadsheets: numbers and times keep their type, and text stays text even when it looks like
 * another type.
 */
function toHtml(fields: ResultField[], rows: ResultRow[], withHead: boolean): string {
  const head = fields.map((field) => `<th>${escapeHtml(field.name)}</th>`).join("");
  const body = rows.map((row) => `<tr>${fields.map((field) => toHtmlCell(row[field.name], field)).join("")}</tr>`);
  return `<meta charset="utf-8"><table>${withHead ? `<tr>${head}</tr>` : ""}${body.join("")}</table>`;
}

function toHtmlCell(value: CellValue | undefined, field: ResultField): string {
  if (value === null || value === undefined) return "<td></td>";
  const text = toPlainText(value);
  const isNumber = isNumericField(field) && isPlainNumber(text);
  if (isNumber && text.replace(/\D/g, "").length <= SHEET_DIGITS_MAX) return `<td>${text}</td>`;
  if (field.type === "boolean") return `<td>${text.toUpperCase()}</td>`;
  const time = TIMES.has(field.type) ? /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(?:\.\d+)?Z?)?$/.exec(text) : null;
  // Spreadsheets support neither the T nor zones; times are UTC, as everywhere in a result.
  if (time) return `<td>${[time[1], time[2]].filter(Boolean).join(" ")}</td>`;
  return `<td style='mso-number-format:"\\@"'>${escapeHtml(text)}</td>`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/\r\n|\r|\n/g, '<br style="mso-data-placement:same-cell">');
}

/** Formats one INSERT statement, with one row per line. */
function toInsert(
  fields: ResultField[],
  rows: ResultRow[],
  { table, dialect }: { table: string; dialect: SqlDialect },
): string {
  const names = fields.map(({ name }) => toSqlName(name, dialect)).join(", ");
  const lines = rows.map(
    (row) => `  (${fields.map((field) => toLiteral(row[field.name], field, dialect)).join(", ")})`,
  );
  return `insert into ${table} (${names}) values\n${lines.join(",\n")};`;
}

/** Formats distinct values for an IN list; null is omitted, since nothing is equal to it. */
function toList(fields: ResultField[], rows: ResultRow[], dialect: SqlDialect): string {
  const values = rows.flatMap((row) =>
    fields.flatMap((field) => (row[field.name] === null ? [] : toLiteral(row[field.name], field, dialect))),
  );
  return `(${[...new Set(values)].join(", ")})`;
}

function toLiteral(value: CellValue | undefined, field: ResultField, dialect: SqlDialect): string {
  if (value === null || value === undefined) return "null";
  const text = toPlainText(value);
  const own = ownLiteral(value, text, field, dialect);
  if (own !== null) return own;
  const isBare = typeof value === "number" || typeof value === "boolean" || isNumericField(field);
  const isExact = typeof value !== "string" || (isPlainNumber(text) && text.length <= LITERAL_DIGITS_MAX);
  return isBare && isExact ? text : toSqlText(text, dialect);
}

/** Engines read a bare number with more digits as a double, but convert a text to the column's type. */
const LITERAL_DIGITS_MAX = 38;
const DOCUMENT = /^jsonb?$/i;

/** Returns the literal of a value whose plain text the column would not read as the same value; null for others. */
function ownLiteral(
  value: Exclude<CellValue, null>,
  text: string,
  { type, dbType = "" }: ResultField,
  dialect: SqlDialect,
): string | null {
  const { toBytes, toCell } = DIALECTS[dialect];
  const quote = (plain: string) => toSqlText(plain, dialect);
  if (typeof value !== "object") {
    if (type === "binary") return toBytes(toHex(text));
    if (type === "json" && DOCUMENT.test(dbType)) return quote(JSON.stringify(value));
  }
  return toCell?.({ value, text, type, dbType }, quote) ?? null;
}

/** Converts a binary value, which arrives as base64. */
function toHex(base64: string): string {
  return Array.from(atob(base64), (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

/** Escapes like spreadsheets: quotes a text when a tab, a line end or a leading quote would break the row. */
function escapeTsv(text: string): string {
  return /[\t\n\r]/.test(text) || text.startsWith('"') ? `"${text.replaceAll('"', '""')}"` : text;
}

function escapeCsv(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function escapeMarkdown(text: string): string {
  return text
    .replaceAll("\\", "\\\\")
    .replaceAll("|", "\\|")
    .replace(/\r\n|\r|\n/g, "<br>");
}
