import { type Activity, errorOf, nameOf, starterOf, statusOf } from "@/lib/features/runs/browser/activity";

export type ActivityFormat = "csv" | "ndjson";
export const ACTIVITY_TYPES: Record<ActivityFormat, string> = {
  csv: "text/csv;charset=utf-8",
  ndjson: "application/x-ndjson",
};

const COLUMNS = ["id", "kind", "status", "name", "startedBy", "at", "durationMs", "rows", "error"] as const;
type Line = Record<(typeof COLUMNS)[number], string | number | null>;

/** Matches the start of a cell that a spreadsheet would treat as a formula (T60). */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns the first line of a file; "" if the format has none. */
export function toActivityHead(format: ActivityFormat): string {
  return format === "csv" ? `${COLUMNS.join(",")}\r\n` : "";
}

/** @param nameOfUser returns a member's name by id; undefined for a user who has left */
export function toActivityLine(
  format: ActivityFormat,
  item: Activity,
  nameOfUser: (userId: string) => string | undefined,
): string {
  const line = toLine(item, nameOfUser);
  if (format === "ndjson") return `${JSON.stringify(line)}\n`;
  return `${COLUMNS.map((column) => toCell(line[column])).join(",")}\r\n`;
}

function toLine(item: Activity, nameOfUser: (userId: string) => string | undefined): Line {
  const starter = starterOf(item);
  const facts = item.kind === "delivery" ? null : item.kind === "query" ? item.execution : item.run;
  return {
    id: item.id,
    kind: item.kind,
    status: statusOf(item),
    name: nameOf(item),
    startedBy: starter === null ? null : (nameOfUser(starter) ?? starter),
    at: item.at,
    durationMs: facts?.durationMs ?? null,
    // 0 changed rows: a procedure that returns rows, or a statement that returns none.
    rows: (item.kind === "query" ? item.execution.affectedRows || null : null) ?? facts?.rowCount ?? null,
    error: errorOf(item),
  };
}

function toCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const guarded = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n']/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
