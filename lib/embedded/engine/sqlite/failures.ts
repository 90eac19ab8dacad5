import { readSqlTokens } from "../../../sql/tokens.ts";
import { READ_ONLY_MESSAGE, StatementFailure } from "../failures.ts";
import type { EngineFailure } from "../wire.ts";

/** Turns an error of SQLite or of its library into one for the caller. @param query what it is about */
export function toSqliteFailure(error: unknown, query: string): EngineFailure {
  if (error instanceof StatementFailure) return error.failure;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("SQLITE_READONLY")) return { kind: "read_only", message: READ_ONLY_MESSAGE };
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return { kind: "unavailable", message: "The file is being written to. Try again in a moment." };
  }
  if (code === "SQLITE_AUTH") return { kind: "not_allowed", message: "This cannot be done here." };
  if (message.includes("contains more than one statement")) {
    return { kind: "query_failed", message: "Send one statement at a time. Run several one after the other." };
  }
  const isBinding = code === "" && (error instanceof RangeError || error instanceof TypeError);
  if (isBinding) return { kind: "invalid_request", message: `The values do not fit the statement: ${message}.` };
  const place = placeIn(query, message);
  return { kind: "query_failed", message, ...(place && { details: place }) };
}

/** SQLite names the word that it stumbled over, without its place: it is known when the word stands there only once. */
function placeIn(query: string, message: string) {
  const word =
    /^near "([\s\S]+)": syntax error$/.exec(message)?.[1] ??
    /^no such (?:column|table|function): (.+)$/.exec(message)?.[1];
  if (word === undefined) return undefined;
  const last = word.split(".").at(-1);
  const places = readSqlTokens(query, "sqlite").filter((token) => token.text === word || token.text === last);
  const [only] = places;
  if (!only || places.length > 1) return undefined;
  const before = query.slice(0, only.start);
  return {
    position: only.start + 1,
    line: before.split("\n").length,
    column: before.length - before.lastIndexOf("\n"),
  };
}
