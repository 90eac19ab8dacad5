import { READ_ONLY_MESSAGE } from "../../../base/sql/statement-messages.ts";
import { ENGINE_MEMORY_LIMIT, ENGINE_TEMP_LIMIT } from "./limits.ts";
import type { EngineFailure } from "./wire.ts";

/** A statement that the engine refuses or cannot run. The server turns it into an AppError. */
export class StatementFailure extends Error {
  readonly failure: EngineFailure;

  constructor(kind: EngineFailure["kind"], message: string, details?: Record<string, unknown>) {
    super(message);
    this.name = "StatementFailure";
    this.failure = { kind, message, ...(details && { details }) };
  }
}

/** DuckDB's error with `errors_as_json` on. `position` is a byte offset in the query's UTF-8. */
type DuckDbError = {
  exception_type: string;
  exception_message: string;
  error_subtype?: string;
  position?: string;
};

/** Stack trace after the message for users. */
const STACK_TRACE = /\n+Stack Trace:[\s\S]*$/;
const CANDIDATES_MAX = 10;

/**
 * Converts an error of DuckDB into one for the caller.
 * @param query the text that positions refer to
 */
export function toFailure(error: unknown, query: string): EngineFailure {
  if (error instanceof StatementFailure) return error.failure;
  const text = error instanceof Error ? error.message : String(error);
  const parsed = parseDuckDbError(text);
  if (!parsed) return { kind: "query_failed", message: text.replace(STACK_TRACE, "") };
  const { exception_type: type } = parsed;
  const message = parsed.exception_message.replace(STACK_TRACE, "").trim();
  if (type === "INTERRUPT") return { kind: "cancelled", message: "The query was cancelled." };
  if (isWriteRefusal(type, message)) return { kind: "read_only", message: READ_ONLY_MESSAGE };
  if (type === "Permission" || message.includes("configuration has been locked")) {
    return { kind: "not_allowed", message: `This connection can access only its own file. ${message}` };
  }
  if (type === "Out of Memory") return { kind: "query_failed", message: `${OUT_OF_MEMORY} ${firstLine(message)}` };
  const names = suggestedNames(message);
  const details = { ...place(parsed.position, query), ...(names.length > 0 && { candidates: names }) };
  const words = withSuggestions(message, names);
  return {
    kind: "query_failed",
    message: type === "Parser" ? capitalize(words) : words,
    ...(Object.keys(details).length > 0 && { details }),
  };
}

/** Replaces DuckDB's advice to change settings, which statements may not do here. */
export const OUT_OF_MEMORY = `The query exceeds ${ENGINE_MEMORY_LIMIT} of memory and ${ENGINE_TEMP_LIMIT} of disk. Filter earlier, select fewer columns, aggregate before joining, or store an intermediate table.`;

function isWriteRefusal(type: string, message: string): boolean {
  return (
    (type === "TransactionContext" && message.includes("read-only mode")) ||
    (type === "Invalid Input" && message.includes("attached in read-only mode"))
  );
}

/** Returns the fields of an error's text; null if it has none. */
export function parseDuckDbError(text: string): DuckDbError | null {
  const start = text.indexOf("{");
  if (start < 0) return null;
  try {
    const parsed: unknown = JSON.parse(text.slice(start));
    const isError = typeof parsed === "object" && parsed !== null && "exception_message" in parsed;
    return isError ? (parsed as DuckDbError) : null;
  } catch {
    return null;
  }
}

/** Returns the 1-based character position, line and column of a byte offset; undefined when DuckDB gives none. */
export function place(
  position: string | undefined,
  query: string,
): { position: number; line: number; column: number } | undefined {
  if (position === undefined || !/^\d{1,9}$/.test(position)) return undefined;
  const before = Buffer.from(query, "utf8").subarray(0, Number(position)).toString("utf8");
  const lineStart = before.lastIndexOf("\n") + 1;
  return {
    position: before.length + 1,
    line: before.split("\n").length,
    column: before.length - lineStart + 1,
  };
}

/** Matches DuckDB's virtual system tables, which its hint for a missing table may suggest. */
const OF_THE_SYSTEM = /^(?:[a-z_]+\.)?(?:pg_|sqlite_|duckdb_|information_schema\b)/i;
const HINT = /\s*Did you mean ("(?:[^"]|"")*")\?/;

/**
 * Returns the names that DuckDB suggests, the best first. They follow the message in quotes; several tables share one
 * pair of quotes. Omits DuckDB's system tables unless the query named one.
 */
function suggestedNames(message: string): string[] {
  const [, bindings] = /Candidate bindings:([\s\S]*)$/.exec(message) ?? [];
  const quoted = [...(bindings ?? HINT.exec(message)?.[1] ?? "").matchAll(/"((?:[^"]|"")*)"/g)];
  const texts = quoted.map((match) => (match[1] ?? "").replaceAll('""', '"'));
  if (bindings !== undefined) return [...new Set(texts)].slice(0, CANDIDATES_MAX);
  const names = texts.flatMap((text) => text.split(" or "));
  const [, wanted] = /^\w+ with name (\S+) does not exist/.exec(message) ?? [];
  return names.filter((name) => OF_THE_SYSTEM.test(wanted ?? "") || !OF_THE_SYSTEM.test(name)).slice(0, CANDIDATES_MAX);
}

/** Replaces the hint of a message with the suggested names, or removes it when there is none. */
function withSuggestions(message: string, names: readonly string[]): string {
  if (!HINT.test(message)) return message;
  const hint = names.length === 0 ? "" : `\nDid you mean ${names.map((name) => `"${name}"`).join(" or ")}?`;
  return message.replace(HINT, () => hint);
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

function capitalize(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}
