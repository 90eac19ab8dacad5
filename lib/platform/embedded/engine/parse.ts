import type { EngineDatabase } from "./database.ts";
import { parseDuckDbError, place } from "./failures.ts";
import { findSqliteFault } from "./sqlite/parse.ts";
import type { ParseRequest, SyntaxFault } from "./wire.ts";

/** The subtype of errors of DuckDB's grammar. Others depend on a catalogue, settings or extensions. */
const SYNTAX_ERROR = "SYNTAX_ERROR";

/** Finds the first syntax error of a text with the engine's own parser; null without one. */
export async function findFault(database: EngineDatabase, request: ParseRequest): Promise<SyntaxFault | null> {
  return request.dialect === "sqlite" ? findSqliteFault(request.text) : findDuckDbFault(database, request.text);
}

async function findDuckDbFault(database: EngineDatabase, text: string): Promise<SyntaxFault | null> {
  const connection = await database.connect();
  try {
    await connection.extractStatements(text);
    return null;
  } catch (error) {
    const known = parseDuckDbError(error instanceof Error ? error.message : String(error));
    if (known?.error_subtype !== SYNTAX_ERROR) return null;
    const { position } = place(known.position, text) ?? {};
    return { message: known.exception_message, offset: position === undefined ? null : position - 1 };
  } finally {
    connection.closeSync();
  }
}
