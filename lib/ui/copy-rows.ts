import type { SqlDialect } from "@/lib/sql/dialects";
import { toSqlName, toSqlText } from "@/lib/sql/names";
import type { CellValue, ResultField, ResultRow } from "@/lib/tabular/json-rows";
import { isNumericField, toPlainText } from "@/lib/ui/cell-text";
import { isPlainNumber } from "@/lib/ui/exact-number";

export const COPY_FORMATS = ["tsv", "csv", "json", "markdown", "insert"] as const;
export type CopyFormat = (typeof COPY_FORMATS)[number];

/**
 * Rows as text for the clipboard.
 * @param withHead whether TSV and CSV begin with the column names; the others always carry them
 * @param insert what INSERT statements are for, as it is written there, and who reads them
 */
export function toCopyText(
  format: CopyFormat,
  fields: ResultField[],
  rows: ResultRow[],
  withHead: boolean,
  insert: { table: string; dialect: SqlDialect } = { table: "result", dialect: "standard" },
): string {
  if (format === "json") return toJson(fields, rows);
  if (format === "markdown") return toMarkdown(fields, rows);
  if (format === "insert") return toInsert(fields, rows, insert);
  const encode = format === "tsv" ? escapeTsv : escapeCsv;
  const join = format === "tsv" ? "\t" : ",";
  const lines = rows.map((row) => fields.map((field) => encode(toPlainText(row[field.name]))).join(join));
  if (withHead) lines.unshift(fields.map((field) => encode(field.name)).join(join));
  // RFC 4180 ends lines with CR LF; spreadsheets take a bare LF from the clipboard.
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

/** One statement, a row a line. */
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

function toLiteral(value: CellValue | undefined, field: ResultField, dialect: SqlDialect): string {
  if (value === null || value === undefined) return "null";
  const text = toPlainText(value);
  const isBare = typeof value === "number" || typeof value === "boolean" || isNumericField(field);
  if (isBare && (typeof value !== "string" || isPlainNumber(text))) return text;
  return toSqlText(text, dialect);
}

/** As spreadsheets write it: quoted when a tab, a line end or a leading quote would break the row. */
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
