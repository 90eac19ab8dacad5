import type { Batch, Entity, Field } from "@/lib/tabular/fields";
import type { ConfigField } from "./schema";

/**
 * What every kind of database looks like to the rest of the product. A driver is one folder under `drivers/`
 * that exports one `Driver`; differences are capability flags, never `if (type === ...)` at the caller.
 */

/** `query` is SQL text, MongoDB shell text, or a MongoDB operation as an object. Parameters are always bound. */
export type Statement = { query: string | Record<string, unknown>; params?: unknown[] | Record<string, unknown> };

export type ExecuteOptions = {
  /** Enforced in the session of the database itself; a violation throws AppError `read_only` or `not_allowed`. */
  readOnly: boolean;
  /** Aborting cancels the statement on the side of the database, then ends the iteration with the abort's reason. */
  signal: AbortSignal;
  /** The database's own limit for the statement, a little above the caller's: a second guard, in milliseconds. */
  timeoutMs: number;
  /**
   * Bytes that one cell may have: the result ends before a row with a larger one, and its last batch says `isCut`.
   * Without it a cell that is too large to be sent is a `query_failed`.
   */
  cellBytesMax?: number;
};

/**
 * A result under way. `fields` are known before the first row. Leaving the loop early (`break`, `return()`) or
 * aborting the signal cancels the statement. Errors while iterating are AppErrors like those of `execute`.
 */
export type ResultStream = { fields: Field[]; batches: AsyncIterable<Batch> };

/** What a test learns. `warning` is what the user of the connection should not be allowed to do (T42), in words. */
export type SourceFacts = { serverVersion?: string; warning?: string };

/** An open connection (or pool of them) to one database. Safe for concurrent use. */
export interface DataSource {
  /**
   * @throws AppError `query_failed` with the database's own message and, where known, details {position, line, column}
   *   (1-based, position in characters of the query text); `read_only`, `not_allowed`, `source_unreachable`, `unavailable`
   */
  execute(statement: Statement, options: ExecuteOptions): Promise<ResultStream>;
  entities(signal: AbortSignal): Promise<Entity[]>;
  test(signal: AbortSignal): Promise<SourceFacts>;
  /** Takes nothing new and waits for what runs, which its own time limit bounds. */
  close(): Promise<void>;
}

export type OpenContext = {
  workspaceId: string;
  connectionId: string;
  /** The config with its secrets unsealed. */
  config: Record<string, unknown>;
  readOnly: boolean;
};

/** A kind of connection: its declaration, from which form, test and docs follow, and how to open one. */
export interface Driver {
  readonly type: string;
  readonly label: string;
  readonly category: "database" | "source";
  readonly fields: ConfigField[];
  /** The language that consoles on it are written in. */
  readonly language: "sql" | "mongodb" | null;
  /** It opens files in a process of its own, which a platform without long-lived processes does not offer. */
  readonly runsProcess?: true;
  /** What is written before a statement to see its plan as text; absent where the engine has no such thing. */
  readonly explain?: string;
  /**
   * Judges a whole config before it is stored, beyond what its fields say by themselves.
   * @throws AppError `invalid_request`, `address_refused`
   */
  check?(context: Omit<OpenContext, "connectionId">): Promise<void>;
  open(context: OpenContext): Promise<DataSource>;
}
