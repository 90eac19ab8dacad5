import { type CellValue, isNumericField, type ResultField, type ResultRow, toPlainText } from "@/lib/ui/cell-text";

export const COPY_FORMATS = ["tsv", "csv", "json", "markdown"] as const;
export type CopyFormat = (typeof COPY_FORMATS)[number];

/**
 * Rows as text for the clipboard.
 * @param withHead whether TSV and CSV begin with the column names; JSON and Markdown always carry them
 */
export function toCopyText(format: CopyFormat, fields: ResultField[], rows: ResultRow[], withHead: boolean): string {
  if (format === "json") return toJson(fields, rows);
  if (format === "markdown") return toMarkdown(fields, rows);
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
