import type { PlanForm } from "@/lib/base/explain/plan";
import type { SqlDialect } from "@/lib/base/sql/dialects";
import type { Batch, Entity, Field, FieldType } from "@/lib/base/values/fields";
import type { TableValues } from "./column-values";
import type { NameLimit } from "./name-limit";
import type { ConfigField, ReaderHint, SchemaChoice, TestStep } from "./schema";
import type { VariableBinding } from "./variables";

/**
 * What every kind of database looks like to the rest of the product. A driver is one folder under `drivers/`
 * that exports one `Driver`; differences are capability flags, never `if (type === ...)` at the caller.
 */

/** `query` is SQL text, MongoDB shell text, or a MongoDB operation as an object. Parameters are always bound. */
export type Statement = {
  query: string | Record<string, unknown>;
  params?: unknown[] | Record<string, unknown>;
  /** Bytes of a value that ORDER BY compares, for databases that compare only the beginning. Absent: their own setting. */
  orderBytes?: number;
  /**
   * Fields of documents that come as their canonical Extended JSON, in columns of text behind all others. Empty where a
   * value has more characters, or has no such form.
   */
  exactFields?: { names: readonly string[]; charsMax: number };
};

export type QueryOptions = {
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
  /** Columns of JSON come as their texts (`JsonText`), as flows carry them. */
  jsonAsText?: true;
  /**
   * The caller reads each result of a statement with several. Without it the driver reads past those behind the first,
   * and fails by what they fail by.
   */
  allResults?: true;
  /** The statement changes rows: it runs to its end behind a cell that is too large, so that its changes are kept. */
  isChange?: boolean;
};

/**
 * A result under way. `fields` are known before the first row. Leaving the loop early (`break`, `return()`) or
 * aborting the signal cancels the statement. Errors while iterating are AppErrors like those of `query`.
 */
export type ResultStream = {
  fields: Field[];
  batches: AsyncIterable<Batch>;
  /** Set by the query path from the driver's declaration. */
  looseTypes?: LooseTypes | undefined;
  /**
   * Returns the number of rows that the statement changed, as the database's own client prints it; null for a query, for
   * DDL, and where the database does not tell. Known when the batches are read to their end.
   */
  affectedRows?: () => number | null;
  /**
   * Waits for the result behind this one, null when this is the last. For `allResults`, when the batches were read to
   * their end. Absent where a statement has one result at most.
   */
  nextResult?: () => Promise<ResultStream | null>;
};

/** Types whose columns may hold values outside of the type: text among SQLite's numbers, 0000-00-00, NaN as a decimal. */
export type LooseTypes = readonly FieldType[] | "all";

/** What a test learns. `warning` is what the user of the connection should not be allowed to do (T42), in words. */
export type SourceFacts = { serverVersion?: string; warning?: string };

/** How far a test has come, whether it succeeds or not: the steps that have ended, and the one that has not. */
export type TestProgress = { steps: TestStep[]; failedStep: TestStep["name"] | null };

/**
 * The progress of a reading. JSON that is stored between two runs, exact in every digit; only its source reads it. An
 * immutable value: nobody changes one, neither the source that takes it nor the one that gave it.
 */
export type Checkpoint = boolean | number | string | readonly CheckpointPart[] | CheckpointParts;
type CheckpointPart = Checkpoint | null;
type CheckpointParts = { readonly [name: string]: CheckpointPart | undefined };

export type ExtractRequest = {
  /** As `entities` names it. */
  entity: Pick<Entity, "name" | "schema">;
  /** The field whose values grow with every change; null reads the whole entity each time. */
  cursorField: string | null;
  /**
   * What tells rows apart where several have one value of the cursor: then a reading begins with the checkpoint's value
   * itself, since rows may have come to it. Without one (an empty list) it begins with what is strictly newer.
   */
  primaryKey: string[];
  /** The checkpoint of the last batch that was kept; null begins at the beginning. */
  from: Checkpoint | null;
  /** Rows of a batch at the most. */
  batchRows: number;
  signal: AbortSignal;
};

/**
 * Whoever has kept these rows for good keeps `checkpoint` with them, and goes on from there after a failure. Null: from
 * here the reading cannot go on, only begin again.
 */
export type ExtractBatch = Batch & {
  checkpoint: Checkpoint | null;
  /** Rows before this batch's end that were left out, since their cursor is infinite or not a number. */
  skipped?: number;
  /**
   * From this batch on, when they are not what they were: those of before in their places, some maybe of a wider type,
   * and new ones behind. Only sources without a schema of their own have it.
   */
  fields?: Field[];
};

/**
 * In the order of the cursor field, or, where a source has an order of its own, with checkpoints that tell the value of
 * the cursor apart from the place where the reading stands. A source that knows which rows its checkpoint covers gives
 * none of them again; others may give those again that have the checkpoint's value. The last batch may have no rows:
 * its checkpoint says that the end was reached. Leaving the loop early ends the reading.
 */
export type ExtractStream = { fields: Field[]; batches: AsyncIterable<ExtractBatch> };

export type LoadMode = "append" | "replace" | "upsert";

export type LoadRequest = {
  table: Pick<Entity, "name" | "schema">;
  /**
   * What each batch has, by its place. A table that is not there is made of these; one that is grows by what it lacks.
   * None, for a source that has no record: then no batch may have one.
   */
  columns: Field[];
  /**
   * `append` adds rows; `replace` puts them in the place of all others; `upsert` changes those rows whose `primaryKey`
   * is there already.
   */
  mode: LoadMode;
  /** Names of columns; needed for `upsert`, and the key of a table that is made. */
  primaryKey: string[];
  /** Which flow and entity: loads of one name follow each other, and the destination keeps how far they have come. */
  load: string;
  /** A load that the same run has begun goes on where it was; of another run's, unfinished rows that nobody sees go. */
  run: string;
  /**
   * Rows are there for readers with each `write`, or all together with `finish`, which is how `replace` always does it
   * and how a source is loaded whose checkpoints are null.
   */
  visible: "batch" | "end";
  signal: AbortSignal;
};

/** How far a load has come, as the destination itself keeps it: written together with the rows. */
export type LoadState = {
  /**
   * That of the last batch which is there: for readers, or for `finish` of this same run. Null when there is none. It is
   * the truth about what is written, whatever was noted elsewhere.
   */
  position: Checkpoint | null;
  /**
   * This very run has written rows before, and they are there: it reads on from `position`. False: the run begins, and
   * `position` is where the run before has ended, of which an incremental run goes on.
   */
  isResumed: boolean;
  /** Rows that this run has written. */
  rowCount: number;
  /** This run has ended with `finish`: there is nothing left to do. */
  isFinished: boolean;
};

/** A row that the destination does not take. */
export type RejectedRow = {
  /** Its place in the batch, from 0. */
  row: number;
  /** Null where the database does not say. */
  column: string | null;
  /** The database's own words. */
  message: string;
};

export type WriteOptions = {
  /** Kept with the rows, in the same transaction where the destination has them: see `LoadState`. */
  position: Checkpoint | null;
  /** So many rows of the batch may be left out; one more, and nothing of the batch is written. */
  rejectsMax: number;
};

/** A load under way. One call at a time. */
export interface Load {
  /** When it was opened. */
  readonly state: LoadState;
  /** `exactly_once`: rows and position are written in one transaction. docs/develop/flows.md says what holds for the others. */
  readonly guarantee: "exactly_once" | "at_least_once";
  /**
   * Writes a batch whole or not at all.
   * @throws AppError `query_failed` with details {row, column} for a row too many that the database does not take;
   *   `conflict` when another run has taken the load over; `source_unreachable`
   */
  write(batch: Batch, options: WriteOptions): Promise<{ written: number; rejected: RejectedRow[] }>;
  /** Everything has come. With `visible: "end"` this is the moment in which readers see it, all of it at once. */
  finish(): Promise<void>;
  /** The run has ended without `finish` and will not go on: what nobody has seen goes. */
  abandon(): Promise<void>;
}

/**
 * An open connection (or pool of them) to one database or service. Safe for concurrent use. What a kind cannot do it has
 * no port for: a caller asks whether the port is there, never what kind it is.
 */
export interface DataSource {
  /**
   * Runs one statement.
   * @throws AppError `query_failed` with the database's own message and, where known, details {position, line, column}
   *   (1-based, position in characters of the query text); `read_only`, `not_allowed`, `source_unreachable`, `unavailable`
   */
  query?(statement: Statement, options: QueryOptions): Promise<ResultStream>;
  /**
   * Reads an entity from a checkpoint on, for flows; changes nothing.
   * @throws AppError `invalid_request` for an entity or cursor field that is not there; `source_unreachable`, `timeout`
   */
  extract?(request: ExtractRequest): Promise<ExtractStream>;
  /**
   * Begins to write rows in bulk, or goes on with it, for flows: makes the table, or lets it grow.
   * @throws NoColumns for none, where there is no table; AppError `read_only`; `invalid_request` for columns that the
   *   table does not take; `source_unreachable`
   */
  load?(request: LoadRequest): Promise<Load>;
  entities(signal: AbortSignal): Promise<Entity[]>;
  /**
   * The statements that would make one of its entities again, in the words of the database itself where it has them.
   * @param entity one of those that `entities` answers
   * @throws AppError `not_found` when it went in between; `query_failed`, `source_unreachable`
   */
  ddl?(entity: Entity, signal: AbortSignal): Promise<string>;
  /** @param onProgress is told once, before the end, by sources whose tests have more than one step */
  test(signal: AbortSignal, onProgress?: (progress: TestProgress) => void): Promise<SourceFacts>;
  /** The schema of names without one, which `entities` leaves out; null for none. */
  defaultSchema?(signal: AbortSignal): Promise<string | null>;
  /** What the setting `schemas` chooses from, whatever it says now; by name, SCHEMA_CHOICES_MAX at the most. */
  schemas?(signal: AbortSignal): Promise<SchemaChoice[]>;
  /** Takes nothing new and waits for what runs, which its own time limit bounds. */
  close(): Promise<void>;
}

/** A source that can be asked. */
export type QueryableSource = DataSource & Required<Pick<DataSource, "query">>;

export type OpenContext = {
  workspaceId: string;
  connectionId: string;
  /** The config with its secrets unsealed. */
  config: Record<string, unknown>;
  readOnly: boolean;
};

/** What is written before a statement, or behind it, and how the answer is read (lib/base/explain). */
export type Explain = {
  form: PlanForm;
  isBehind?: true;
  /** For the plan alone: nothing is carried out. */
  plan: string;
  /**
   * For a plan with real times and rows, which carries the statement out; absent where the engine does not. With
   * `version`, only for servers whose version has this word. It is asked for as what only reads, whatever the connection
   * may do.
   */
  measured?: { words: string; version?: string }[];
};

/** A kind of connection: its declaration, from which form, test, consoles and docs follow, and how to open one. */
export interface Driver {
  readonly type: string;
  readonly label: string;
  /** The engine's name in the middle of a sentence, where the label says more. */
  readonly engineName?: string;
  readonly category: "database" | "source";
  /** The outlines of its sign, as paths of an SVG of 24 by 24; left out, it has that of its category. */
  readonly icon?: string[];
  readonly fields: ConfigField[];
  /** What of a field may be refused although its declaration takes it, by the name of the field; for the API reference. */
  readonly refusals?: Readonly<Record<string, string>>;
  /** How an administrator makes a user for us; left out where there are no users. */
  readonly readerHint?: ReaderHint;
  /** The language that consoles on it are written in; null where there is nothing to ask. */
  readonly language: "sql" | "mongodb" | null;
  /** How its SQL is to be read; left out for what is no SQL. */
  readonly dialect?: SqlDialect;
  /** How it takes the values of a console's `{{name}}`; left out where it takes none. */
  readonly variables?: VariableBinding;
  /** Types that its results' columns do not keep to; absent where every value is within its column's type. */
  readonly looseTypes?: LooseTypes;
  /** The order and comparison of its values; absent for sources without SQL. */
  readonly values?: TableValues;
  /** It opens files in a process of its own, which a platform without long-lived processes does not offer. */
  readonly runsProcess?: true;
  /** How it is asked for the plan of a statement; absent where the engine has no such thing. */
  readonly explain?: Explain;
  /** The longest name of a table, schema or column; absent where there is no limit that matters. */
  readonly nameLimit?: NameLimit;
  /** Its sources tell how a table was made (`DataSource.ddl`); absent where nobody can know. */
  readonly tellsDdl?: true;
  /**
   * Judges a whole config before it is stored, beyond what its fields say by themselves.
   * @throws AppError `invalid_request`, `address_refused`
   */
  check?(context: Omit<OpenContext, "connectionId">): Promise<void>;
  open(context: OpenContext): Promise<DataSource>;
}
