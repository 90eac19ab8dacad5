import type { PlanAnswer } from "@/lib/base/explain/read-plan";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import type { StatementWrite } from "@/lib/base/sql/writes";
import type { Batch, Entity, Field, FieldType, WireValue } from "@/lib/base/values/fields";
import type { AppError } from "@/lib/platform/http/errors";
import type { TableValues } from "./column-values";
import type { NameLimit } from "./name-limit";
import type { ConfigField, ConnectionType, IsolationLevel, SchemaChoice, TestStep } from "./schema";
import type { VariableBinding } from "./variables";

/**
 * The interface that every kind of database offers to the rest of the product. A driver is one folder under `drivers/`
 * that exports one `Driver`; differences are capability flags, never `if (type === ...)` at the caller.
 */

/** `query` is SQL text, MongoDB shell text, or a MongoDB operation as an object. Parameters are always bound. */
export type Statement = {
  query: string | Record<string, unknown>;
  params?: unknown[] | Record<string, unknown>;
  /**
   * Bytes of a value that ORDER BY compares, for databases that compare only a prefix. Absent: the database's default.
   */
  orderBytes?: number;
  /**
   * Fields of documents to return as Extended JSON, in text columns after all others: canonical, or with plain numbers
   * for a person to edit. Empty where a value has more characters, or has no such form.
   */
  exactFields?: { names: readonly string[]; charsMax: number; isEdited?: true };
};

export type QueryOptions = {
  /** Enforced in the database session; a violation throws AppError `read_only` or `not_allowed`. */
  readOnly: boolean;
  /** Aborting cancels the statement in the database, then ends the iteration with the abort's reason. */
  signal: AbortSignal;
  /** The database's time limit for the statement, in ms, a little above the caller's: a second guard. */
  timeoutMs: number;
  /**
   * Maximum bytes of a cell: the result ends before a row with a larger one, and its last batch has `isCut`. Absent: a
   * cell that is too large to be sent is a `query_failed`.
   */
  cellBytesMax?: number;
  /** Returns JSON columns as their texts (`JsonText`), for flows. */
  jsonAsText?: true;
  /** Batches may have their rows as bytes, for results that are written to a file or table. Not with `cellBytesMax`. */
  asBytes?: boolean;
  /**
   * The caller reads each result of a statement with several. Otherwise the driver reads past all but the first, and
   * fails with their errors.
   */
  allResults?: true;
  /** Resolves when the statement may hold a large amount of memory until its end. Absent: it may. */
  whenLarge?: () => Promise<void>;
  /** The statement changes rows: it runs to its end after a cell that is too large, so that its changes are kept. */
  isChange?: boolean;
};

/**
 * A running result. `fields` are known before the first row. Leaving the loop early (`break`, `return()`) or aborting
 * the signal cancels the statement. Errors while iterating are AppErrors like those of `query`.
 */
export type ResultStream = {
  fields: Field[];
  batches: AsyncIterable<Batch>;
  /** Set by the query path from the driver's declaration. */
  looseTypes?: LooseTypes | undefined;
  /**
   * Returns the number of rows that the statement changed, as the database's command-line client prints it; null for a
   * query, for DDL, and where the database does not report it. Known once the batches are read to their end.
   */
  affectedRows?: () => number | null;
  /**
   * Waits for the next result; null when this is the last. For `allResults`, after the batches were read to their end.
   * Absent where a statement has at most one result.
   */
  nextResult?: () => Promise<ResultStream | null>;
};

/** `failed`: the database refuses every statement until a rollback. */
export type SessionState = "idle" | "in_transaction" | "failed";

export type SessionOptions = {
  /** Null: the database's default. */
  isolation: IsolationLevel | null;
  /** Enforced by the database: each transaction of the session is read-only, and no statement can change that. */
  readOnly: boolean;
  signal: AbortSignal;
};

/**
 * A session with a separate connection, for transactions that a person begins and ends. It runs one statement at a
 * time, and keeps its state between them. Nothing of it reaches other sessions.
 */
export interface ManualSession {
  /** State of the transaction as the database reported it; valid once `settled` has resolved. */
  readonly state: SessionState;
  /** False once the connection is lost: the database has then rolled back. */
  readonly isAlive: boolean;
  /**
   * Runs a statement, as `DataSource.query`. An abort cancels only the statement, where the database can do so. With
   * `readOnly` in a session that may write, of a driver whose `RowEstimator` has `inSession`: the statement only reads,
   * and leaves the session and its transaction unchanged.
   */
  query(statement: Statement, options: QueryOptions): Promise<ResultStream>;
  /** Resolves when the last statement is over. Never rejects. */
  settled(): Promise<void>;
  /** Rolls back and closes. Never rejects. */
  close(): Promise<void>;
}

/** A change of one row, with values as texts: as a page shows them, or to store. */
export type RowChangeRequest = {
  op: "insert" | "update" | "delete";
  /** The row as it was read. For an insert: the row to copy; empty for none. */
  key: Readonly<Record<string, string | null>>;
  old: Readonly<Record<string, string | null>>;
  set: Readonly<Record<string, string | null>>;
  /** Fields to remove. */
  defaults: readonly string[];
  /** Fields of `set` whose values are Extended JSON, of any type. Absent: none. */
  exact?: readonly string[] | undefined;
  /** ObjectId of a new document without another `_id`, in hexadecimal digits. Absent: the driver generates one. */
  objectId?: string | undefined;
};

/** The end of row changes. All are written if there is neither a conflict nor a failure. */
export type RowChangesEnd = {
  /** Changes whose rows have other values, with these; null for a deleted row. */
  conflicts: { change: number; current: Record<string, WireValue> | null }[];
  /** Number of written changes, the first ones; 0 where a transaction undid them. */
  written: number;
  /** `change`: index of the refused one; null for none. `isUnknown`: all changes may have been written. */
  failure: { change: number | null; error: AppError; isUnknown: boolean } | null;
};

/** Changes of rows, ready to be written. */
export type RowChangePlan = {
  /** Statements of the changes, which are written when called. A longer one than `charsMax` says that it is shortened. */
  texts: readonly ((charsMax: number) => string)[];
  /** Whether the changes are written in one transaction. False where the database has none: in order, up to a failure. */
  inTransaction: boolean;
  run(options: Pick<QueryOptions, "signal" | "timeoutMs">): Promise<RowChangesEnd>;
};

/** Types whose columns may contain other values: text among SQLite's numbers, 0000-00-00, NaN as a decimal. */
export type LooseTypes = readonly FieldType[] | "all";

/** The facts that a test returns. `warning` describes rights that the connection's user should not have (T42). */
export type SourceFacts = { serverVersion?: string; warning?: string };

/** The progress of a test, successful or not: the completed steps, and the one that failed. */
export type TestProgress = { steps: TestStep[]; failedStep: TestStep["name"] | null };

/**
 * The progress of an extract: JSON that is stored between two runs, exact in every digit. Only its source interprets
 * it. Immutable: neither the source that takes it nor the one that gave it changes it.
 */
export type Checkpoint = boolean | number | string | readonly CheckpointPart[] | CheckpointParts;
type CheckpointPart = Checkpoint | null;
type CheckpointParts = { readonly [name: string]: CheckpointPart | undefined };

export type ExtractRequest = {
  /** With the names that `entities` returns. */
  entity: Pick<Entity, "name" | "schema">;
  /** A field whose values grow with every change; null reads the whole entity each time. */
  cursorField: string | null;
  /**
   * Identifies rows that share a cursor value. With a key, reading starts at the checkpoint's value itself, since rows
   * may have been added there. Without one (an empty list) it starts with strictly newer values.
   */
  primaryKey: string[];
  /** The checkpoint of the last batch that was kept; null starts from the beginning. */
  from: Checkpoint | null;
  /** Maximum rows of a batch of values. */
  batchRows: number;
  /** Batches may have their rows as bytes (`Batch.raw`), and more of them, for a destination that writes bytes. */
  asBytes?: boolean;
  signal: AbortSignal;
};

/**
 * A batch and its checkpoint. The caller stores `checkpoint` with these rows, and resumes from it after a failure.
 * Null: the reading cannot be resumed from here, only restarted.
 */
export type ExtractBatch = Batch & {
  checkpoint: Checkpoint | null;
  /** Rows before this batch's end that were skipped, since their cursor is infinite or not a number. */
  skipped?: number;
  /**
   * The fields from this batch on, when they changed: earlier ones at the same index, some maybe of a wider type, and
   * new ones at the end. Only schemaless sources set it.
   */
  fields?: Field[];
};

/**
 * Batches in the order of the cursor field. A source with a native order uses that instead, and its checkpoints
 * separate the cursor's value from the reading position. A source that knows which rows its checkpoint covers repeats
 * none of them; others may repeat rows that have the checkpoint's value. The last batch may have no rows: its
 * checkpoint says that the end was reached. Leaving the loop early ends the reading.
 */
export type ExtractStream = { fields: Field[]; batches: AsyncIterable<ExtractBatch> };

export type LoadMode = "append" | "replace" | "upsert";

export type LoadRequest = {
  table: Pick<Entity, "name" | "schema">;
  /**
   * The columns of each batch, in order. A missing table is created with them; an existing one gets the columns that it
   * lacks. Empty for a source without records: then no batch may have a row.
   */
  columns: Field[];
  /**
   * `append` adds rows; `replace` replaces all rows; `upsert` updates rows whose `primaryKey` exists and adds the
   * others.
   */
  mode: LoadMode;
  /** Names of columns; required for `upsert`, and the key of a created table. */
  primaryKey: string[];
  /** Identifies flow and entity. Loads of one name continue each other, and the destination stores their progress. */
  load: string;
  /**
   * Identifies the run. A load that the same run started is resumed; unfinished, invisible rows of another run are
   * deleted.
   */
  run: string;
  /**
   * Rows become visible with each `write`, or all together with `finish`. `replace` always does the latter, and so does
   * a source whose checkpoints are null.
   */
  visible: "batch" | "end";
  signal: AbortSignal;
};

/** The progress of a load, as the destination stores it: written together with the rows. */
export type LoadState = {
  /**
   * The checkpoint of the last batch that was written, either visible or waiting for this run's `finish`. Null when
   * there is none. It is authoritative, even where other records of progress differ.
   */
  position: Checkpoint | null;
  /**
   * True: this run has already written rows and resumes at `position`. False: the run starts, and `position` is the end
   * of the previous run, from which an incremental run continues.
   */
  isResumed: boolean;
  /** Rows that this run has written. */
  rowCount: number;
  /** This run completed with `finish`: nothing is left to do. */
  isFinished: boolean;
};

/** A row that the destination rejected. */
export type RejectedRow = {
  /** Index in the batch, from 0. */
  row: number;
  /** Null where the database does not name it. */
  column: string | null;
  /** The database's message. */
  message: string;
};

export type WriteOptions = {
  /** Stored with the rows, in the same transaction where the destination has them: see `LoadState`. */
  position: Checkpoint | null;
  /** Maximum rows of the batch that may be rejected; above it, nothing of the batch is written. */
  rejectsMax: number;
  /** The next batch, unless it has other columns. It may be encoded while this one is written. */
  following?: Batch | null;
};

/** A running load. Takes one call at a time. */
export interface Load {
  /** The state when the load was opened. */
  readonly state: LoadState;
  /**
   * `exactly_once`: rows and position are written in one transaction. docs/develop/flows.md says what applies
   * otherwise.
   */
  readonly guarantee: "exactly_once" | "at_least_once";
  /**
   * Writes a batch completely or not at all.
   * @throws AppError `query_failed` with details {row, column} for a rejected row beyond the allowance; `conflict` when
   * another run has taken the load over; `source_unreachable`
   */
  write(batch: Batch, options: WriteOptions): Promise<{ written: number; rejected: RejectedRow[] }>;
  /** Completes the load. With `visible: "end"`, all rows become visible at this moment. */
  finish(): Promise<void>;
  /** Ends a run that will not be resumed, without `finish`: rows that are not visible yet are deleted. */
  abandon(): Promise<void>;
}

/**
 * An open connection (or pool of them) to one database or service. Safe for concurrent use. Missing capabilities are
 * absent methods: a caller checks for the method, never for the kind.
 */
export interface DataSource {
  /**
   * Runs one statement.
   * @throws AppError `query_failed` with the database's message and, where known, details {position, line, column}
   *   (1-based, position in characters of the query text); `read_only`, `not_allowed`, `source_unreachable`,
   *   `unavailable`
   */
  query?(statement: Statement, options: QueryOptions): Promise<ResultStream>;
  /**
   * Opens a session for manual transactions.
   * @throws AppError `unsupported` where this connection cannot keep one; `source_unreachable`, `timeout`
   */
  openSession?(options: SessionOptions): Promise<ManualSession>;
  /**
   * Plans changes of single rows, for a driver with `editsDocuments`. Reads the rows and writes nothing.
   * @throws AppError `invalid_request` with the path of a change that cannot be made
   */
  planRowChanges?(
    entity: Entity,
    changes: readonly RowChangeRequest[],
    options: Pick<QueryOptions, "signal" | "timeoutMs" | "whenLarge">,
  ): Promise<RowChangePlan>;
  /**
   * Reads an entity from a checkpoint on, for flows; changes nothing.
   * @throws AppError `invalid_request` for an unknown entity or cursor field; `source_unreachable`, `timeout`
   */
  extract?(request: ExtractRequest): Promise<ExtractStream>;
  /**
   * Starts or resumes a bulk load, for flows: creates the table, or adds columns to it.
   * @throws NoColumns when there are no columns and no table; AppError `read_only`; `invalid_request` for columns that
   * the table cannot take; `source_unreachable`
   */
  load?(request: LoadRequest): Promise<Load>;
  /** Whether its loads write rows from their bytes (`Batch.raw`) without decoding each value. */
  readonly loadsBytes?: true;
  entities(signal: AbortSignal): Promise<Entity[]>;
  /**
   * Returns the statements that create an entity, as the database writes them where it can.
   * @param entity one that `entities` returned
   * @throws AppError `not_found` when it was dropped since; `query_failed`, `source_unreachable`
   */
  ddl?(entity: Entity, signal: AbortSignal): Promise<string>;
  /**
   * Tests the connection.
   * @param onProgress called once, before the end, by sources whose tests have more than one step
   */
  test(signal: AbortSignal, onProgress?: (progress: TestProgress) => void): Promise<SourceFacts>;
  /** Returns the default schema, which `entities` omits; null for none. */
  defaultSchema?(signal: AbortSignal): Promise<string | null>;
  /**
   * Returns the choices for the setting `schemas`, regardless of its present value; by name, at most
   * SCHEMA_CHOICES_MAX.
   */
  schemas?(signal: AbortSignal): Promise<SchemaChoice[]>;
  /** Refuses new work and waits for what runs, which its time limit bounds. */
  close(): Promise<void>;
}

/** An estimate of a query's rows, by a statement that only reads. */
export type RowEstimator = {
  /** Returns the statement to run with `readOnly`; null for a query whose rows it can't estimate. */
  statementFor(query: string): string | null;
  /** Returns the number of rows in its answer; null if the database does not know it. */
  rowsIn(answer: PlanAnswer): number | null;
  /** Estimates only the rows of one table that a condition selects; absent for any query. */
  readonly needsOneTable?: true;
  /** A session and its open transaction stay as they were; absent where the statement might change or lock anything. */
  readonly inSession?: true;
};

/** An error in a text, with its offset in UTF-16 units; null if it has no place. */
export type TextError = { message: string; offset: number | null };

/** A source that can be queried. */
export type QueryableSource = DataSource & Required<Pick<DataSource, "query">>;

export type OpenContext = {
  workspaceId: string;
  connectionId: string;
  /** The config with its secrets decrypted. */
  config: Record<string, unknown>;
  readOnly: boolean;
};

/** A kind of connection: its declaration, which defines form, test, consoles and docs, and how to open one. */
export interface Driver {
  readonly type: string;
  readonly label: string;
  /** The engine's name within a sentence, where the label says more. */
  readonly engineName?: string;
  readonly category: "database" | "source";
  /** A tile in its colour with outlines in `ink`, as SVG paths of 24 by 24. The same in both themes. */
  readonly icon: ConnectionType["icon"];
  readonly fields: ConfigField[];
  /** Further reasons to reject a field's value, by field name; for the API reference. */
  readonly refusals?: Readonly<Record<string, string>>;
  /** Instructions for an administrator to create a read-only user; absent where there are no users. */
  readonly readerHint?: ConnectionType["readerHint"];
  /** The language of its consoles; null where nothing can be queried. */
  readonly language: "sql" | "mongodb" | null;
  /** Its SQL dialect; absent for engines without SQL. */
  readonly dialect?: SqlDialect;
  /** The binding of a console's `{{name}}` values; absent where it takes none. */
  readonly variables?: VariableBinding;
  /** Types whose columns may hold other values; absent where every value is within its column's type. */
  readonly looseTypes?: LooseTypes;
  /** The order and comparison of its values; absent for sources without SQL. */
  readonly values?: TableValues;
  /** Returns the maximum concurrent queries of a connection; absent: that of files and web services. */
  readonly queriesMax?: (config: Record<string, unknown>) => number;
  /** Opens files in a separate process, which a platform without long-lived processes does not offer. */
  readonly runsProcess?: true;
  /** The EXPLAIN syntax; absent where the engine has none. */
  readonly explain?: ConnectionType["explain"];
  /** The estimate of a query's rows, for the confirmation of a write; absent where the engine has none. */
  readonly rowEstimator?: RowEstimator;
  /** The maximum name length of a table, schema or column; absent where no limit matters. */
  readonly nameLimit?: NameLimit;
  /**
   * Isolation levels of its sessions for manual transactions (`DataSource.openSession`); absent where it has none.
   */
  readonly isolationLevels?: readonly IsolationLevel[];
  /** DROP and TRUNCATE commit the open transaction first; absent where they can be rolled back. */
  readonly ddlCommits?: true;
  /**
   * Its rows are documents, which its sources change (`DataSource.planRowChanges`): fields can be removed, and nested
   * values are edited as Extended JSON. Absent where rows have columns or cannot be edited.
   */
  readonly editsDocuments?: true;
  /** Its sources return table definitions (`DataSource.ddl`); absent where they cannot. */
  readonly hasDdl?: true;
  /**
   * Validates a whole config before it is stored, beyond the rules of its fields.
   * @throws AppError `invalid_request`, `address_refused`
   */
  check?(context: Omit<OpenContext, "connectionId">): Promise<void>;
  /**
   * Finds a syntax error in a text of any number of statements, without a connection. Absent where no grammar here
   * decides whether a statement runs.
   * @param context `readOnly` of the connection; `tenant`, the workspace
   */
  findSyntaxError?(text: string, context: { readOnly: boolean; tenant: string }): Promise<TextError | null>;
  /**
   * Returns what a statement would write, for a confirmation; null if it only reads or is invalid. Absent: the lexer of
   * its dialect decides.
   * @param tenant the workspace
   */
  findWrite?(query: Statement["query"], tenant: string): Promise<StatementWrite | null>;
  open(context: OpenContext): Promise<DataSource>;
}
