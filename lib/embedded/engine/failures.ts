import type { EngineFailure } from "./wire.ts";

/** A statement that the engine will not or cannot run. It crosses the socket and becomes an AppError there. */
export class StatementFailure extends Error {
  readonly failure: EngineFailure;

  constructor(kind: EngineFailure["kind"], message: string, details?: Record<string, unknown>) {
    super(message);
    this.name = "StatementFailure";
    this.failure = { kind, message, ...(details && { details }) };
  }
}

/** What DuckDB says with `errors_as_json` on. `position` is an offset in bytes of the query's UTF-8. */
type DuckDbError = {
  exception_type: string;
  exception_message: string;
  position?: string;
};

/** Addresses behind what a person should read. */
const STACK_TRACE = /\n+Stack Trace:[\s\S]*$/;
const CANDIDATES_MAX = 10;

/**
 * Turns an error of DuckDB into one for the caller.
 * @param query the text that the positions are about
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
    return { kind: "not_allowed", message: `This connection works on its own file only. ${message}` };
  }
  const details = { ...place(parsed.position, query), ...candidatesOf(message) };
  return {
    kind: "query_failed",
    message: type === "Parser" ? capitalize(message) : message,
    ...(Object.keys(details).length > 0 && { details }),
  };
}

export const READ_ONLY_MESSAGE = "This connection is read-only: it runs queries and changes nothing.";

function isWriteRefusal(type: string, message: string): boolean {
  return (
    (type === "TransactionContext" && message.includes("read-only mode")) ||
    (type === "Invalid Input" && message.includes("attached in read-only mode"))
  );
}

function parseDuckDbError(text: string): DuckDbError | null {
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

/** 1-based character position, line and column of a byte offset; nothing when DuckDB gives none. */
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

/** The names that DuckDB suggests, the best first. They stand quoted behind the message. */
function candidatesOf(message: string): { candidates: string[] } | undefined {
  const hint = /(?:Candidate bindings:|Did you mean)([\s\S]*)$/.exec(message)?.[1] ?? "";
  const names = [...hint.matchAll(/"((?:[^"]|"")*)"/g)].map((match) => (match[1] ?? "").replaceAll('""', '"'));
  return names.length > 0 ? { candidates: [...new Set(names)].slice(0, CANDIDATES_MAX) } : undefined;
}

function capitalize(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}
