import { checkText, positionalParams } from "../shared/params";

/**
 * Values for `?` as literals of EXECUTE ... USING, the protocol's one way to send them. A text has nothing that could
 * leave its quotes: Trino's strings know no escapes but the doubled quote.
 * @throws AppError `invalid_request`
 */
export function toTrinoParams(params: unknown[] | Record<string, unknown> | undefined): string[] {
  return positionalParams(params, "?").map(literal);
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : `DOUBLE '${value}'`;
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(", ")}]`;
  return `JSON ${quoted(JSON.stringify(value))}`;
}

/** @throws AppError `invalid_request` */
export function quoted(text: string): string {
  return `'${checkText(text).replaceAll("'", "''")}'`;
}
