import { createHash } from "node:crypto";
import type { Batch, Field } from "@/lib/base/values/fields";
import { firstNull } from "@/lib/base/values/row-bytes";
import { AppError } from "@/lib/platform/http/errors";
import type { Checkpoint, Load, LoadRequest, LoadState, RejectedRow, WriteOptions } from "../../../data-source";
import { isOverLimit, type NameLimit, overLimitText } from "../../../name-limit";
import { widening } from "./fit";
import { ABANDON_TIMEOUT_MS, abandoned, afterBatch, finished, openProgress, type Progress } from "./load-progress";
import { RowRefused, writeAccepted } from "./rows";
import { findColumn, type TableColumn, type TableShape, type TargetColumn } from "./table-shape";

/*
 * Loads into databases with transactions (docs/develop/flows.md). A table of the destination stores the progress of a
 * load, and changes in the same transaction as the rows: after a kill at any time, either both exist or neither. Each
 * write names the epoch under which its load was opened, so a worker that was presumed dead can no longer write.
 */

/** The bookkeeping table, next to the loaded tables. */
export const LOADS_TABLE = "_millrace_loads";
const STAGING_PREFIX = "_millrace_stage_";
const STAGING_HASH_CHARS = 16;
const LOAD_CHARS_MAX = 200;
/** Attempts to open a load, while others open the same load concurrently; the last one wins. */
const OPEN_TRIES = 5;
/** Attempts to adapt a table, while other loads change it: each failure is another's success. */
const SETTLE_TRIES = 20;

/** Returns the name of a load's table for rows that are not visible yet. */
export function stagingNameOf(load: string): string {
  return STAGING_PREFIX + createHash("sha256").update(load).digest("hex").slice(0, STAGING_HASH_CHARS);
}

/** Returns whether a table belongs to the bookkeeping of loads: no one else reads or writes it. */
export function isOwnTable(name: string): boolean {
  return name === LOADS_TABLE || name.startsWith(STAGING_PREFIX);
}

/** Messages of PostgreSQL, DuckDB, MySQL and MariaDB about a missing schema. */
const NO_SCHEMA = /schema (?:with name )?.* does not exist|unknown database|schema .* not found/i;

/** Only engines whose `write` steps have them take bytes. */
export type Param = string | number | null | Buffer;

export type Target = {
  /** Quoted, with its schema. */
  table: string;
  /** In the order of the batches' columns. */
  columns: readonly TargetColumn[];
  /** Quoted names of the key's columns; empty except for upserts. */
  key: readonly string[];
};

export type Step =
  /** `onRepeatedKey` runs instead where the database refuses to change one row twice. */
  | { run: string; params?: readonly Param[]; mustAffect?: number; onRepeatedKey?: string }
  /** `suffix` follows VALUES in engines that insert by statements. */
  | { rows: Batch; into: Pick<Target, "table" | "columns">; suffix?: string };

export type LoadDialect = {
  quote(name: string): string;
  placeholder(place: number): string;
  /** The database treats columns that differ only in case as one. */
  foldsCase: boolean;
  /** The maximum name length, null where there is no limit. */
  nameLimit: NameLimit | null;
  /** Creates a missing schema; null where only an admin may. */
  createSchema: ((schema: string) => string) | null;
  /** Returns the declared type of a column for such values. @param isKey it is indexed */
  columnType(field: Pick<Field, "type" | "dbType">, isKey: boolean): string;
  /** Types of the bookkeeping columns: text, a text key, and integers. */
  bookkeeping: { key: string; text: string; integer: string; suffix: string };
  /** Changes a column's type; null where that is impossible. */
  alterType: ((table: string, column: string, type: string) => string) | null;
  /** DROP and CREATE commit the transaction implicitly. */
  ddlCommits: boolean;
  /** Returns the steps that write one batch, within the caller's transaction. */
  write(target: Target, batch: Batch): Step[];
  /** Blocks other writers of a table until the end of the transaction; null where deleting its rows does that. */
  lockRows: ((table: string) => string) | null;
  /** Returns the statements that move the staging table's rows into the target. */
  merge(target: Target, staging: string): string[];
};

export type TransactOptions = { isProbe?: boolean; onSent?: (() => void) | undefined };

export type LoadEngine = {
  dialect: LoadDialect;
  readOnly: boolean;
  /** Describes a table; also returns the schema in which unqualified names are created. */
  describe(
    table: LoadRequest["table"],
    signal: AbortSignal,
  ): Promise<{ schema: string | null; shape: TableShape | null }>;
  read(sql: string, params: readonly Param[], signal: AbortSignal): Promise<unknown[][]>;
  /**
   * Runs the steps in one transaction.
   * @param isProbe rolls everything back at the end
   * @param onSent called while the database works on the steps, in an engine to which they are sent at once
   * @throws RowRefused; ConflictError where a step changes another number of rows than it must; AppError
   */
  transact(steps: readonly Step[], signal: AbortSignal, options?: TransactOptions): Promise<void>;
};

/** A bookkeeping step changed nothing, since another run has taken the load over. */
export class LoadTaken extends AppError {
  constructor() {
    super("conflict", "Another run has taken over this load.");
  }
}

/**
 * A load without columns into a missing table: a source without records names no columns, so there is nothing to do.
 */
export class NoColumns extends AppError {
  constructor() {
    super("invalid_request", "No columns to load.");
  }
}

/** Opens a load. @throws NoColumns; AppError `read_only`, `invalid_request`, `conflict`, `query_failed` */
export async function beginSqlLoad(engine: LoadEngine, given: LoadRequest): Promise<Load> {
  if (engine.readOnly) throw readOnlyDestination();
  const request = await withColumns(given, async () => (await engine.describe(given.table, given.signal)).shape);
  checkRequest(request, engine.dialect);
  for (let tries = 1; ; tries += 1) {
    try {
      return await openLoad(engine, request);
    } catch (error) {
      if (!(error instanceof LoadTaken) || tries === OPEN_TRIES) throw error;
    }
  }
}

export function readOnlyDestination(): AppError {
  return new AppError("read_only", "This connection is read-only. Allow writes in its settings to load data.");
}

/**
 * Returns the request with the table's columns if it has none. A load without rows may still empty the table.
 * @throws NoColumns where there is no table either
 */
export async function withColumns(request: LoadRequest, look: () => Promise<TableShape | null>): Promise<LoadRequest> {
  if (request.columns.length > 0) return request;
  const shape = await look();
  const columns = (shape?.columns ?? []).filter(({ isGenerated }) => !isGenerated);
  if (columns.length === 0) throw new NoColumns();
  return { ...request, columns: columns.map(({ name, type, dbType }) => ({ name, type, dbType })) };
}

/** Checks a load's request. @throws AppError `invalid_request` */
export function checkRequest(
  { table, columns, mode, primaryKey, load, run }: LoadRequest,
  { foldsCase, nameLimit }: Pick<LoadDialect, "foldsCase" | "nameLimit">,
): void {
  if (nameLimit && isOverLimit(table.name, nameLimit)) throw invalid(overLimitText("table", table.name, nameLimit));
  if (nameLimit && table.schema !== undefined && isOverLimit(table.schema, nameLimit)) {
    throw invalid(overLimitText("schema", table.schema, nameLimit));
  }
  const fold = (name: string) => (foldsCase ? name.toLowerCase() : name);
  const names = new Set<string>();
  for (const { name } of columns) {
    if (name === "" || name.includes("\0")) throw invalid("A column has an invalid name.");
    if (nameLimit && isOverLimit(name, nameLimit)) throw invalid(overLimitText("column", name, nameLimit));
    if (names.has(fold(name))) throw invalid(`Duplicate column ${name.slice(0, 60)}. Rename one of them.`);
    names.add(fold(name));
  }
  const missing = primaryKey.find((name) => !names.has(fold(name)));
  if (missing !== undefined) throw invalid(`Primary key column ${missing.slice(0, 60)} is missing.`);
  if (mode === "upsert" && primaryKey.length === 0) throw invalid("Upsert requires a primary key.");
  if (load === "" || run === "" || load.length > LOAD_CHARS_MAX || run.length > LOAD_CHARS_MAX) {
    throw invalid(`Load and run IDs must have 1 to ${LOAD_CHARS_MAX} characters.`);
  }
}

type Row = Progress<Checkpoint>;

async function openLoad(engine: LoadEngine, request: LoadRequest): Promise<Load> {
  const { dialect } = engine;
  const { signal, table, run, mode } = request;
  const { schema, shape: found } = await engine.describe(table, signal);
  const books = new Books(engine, schema, request);
  await books.ensure();
  const before = await books.read();
  const shape = await settleTable(engine, request, schema, found, books);
  const isStaged = mode === "replace" || request.visible === "end";
  const stagingName = stagingNameOf(request.load);
  const place = { name: stagingName, ...(schema !== null && { schema }) };
  const mayResume = isStaged && before?.run === run && before.staging === stagingName;
  const { next, isResumed } = openProgress(before, {
    run,
    staging: isStaged ? stagingName : null,
    isKept: mayResume && (await engine.describe(place, signal)).shape !== null,
  });
  const staging = books.qualified(stagingName);
  const drop = `drop table if exists ${staging}`;
  const isMade = next.staging !== null && !isResumed;
  const isLeft = next.staging === null && before?.staging != null;
  const tables = isMade ? [drop, createLike(dialect, staging, shape, request)] : isLeft ? [drop] : [];
  try {
    await inTurn(engine, [books.write(before, next)], tables, signal);
  } catch (error) {
    // Another run recorded this load first.
    const isTaken = error instanceof RowRefused || (error instanceof AppError && error.kind === "unavailable");
    throw isTaken && before === null ? new LoadTaken() : error;
  }
  return new SqlLoad(engine, request, {
    books,
    target: {
      table: books.qualified(shape.name),
      columns: request.columns.map((field) => ({
        ...mustFind(shape, field.name, dialect),
        from: field.type,
        fromDbType: field.dbType,
      })),
      key:
        mode === "upsert" ? request.primaryKey.map((name) => dialect.quote(mustFind(shape, name, dialect).name)) : [],
    },
    staging: isStaged ? staging : null,
    state: { position: next.position, isResumed, rowCount: next.rowCount, isFinished: next.isFinished },
    row: next,
  });
}

/**
 * Runs row and table changes in one transaction where the database supports that. Elsewhere the rows come first: a
 * table is recorded before it is created, so that leftovers of a killed run are known.
 */
async function inTurn(
  engine: LoadEngine,
  rows: readonly Step[],
  tables: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const ddl = tables.map((run) => ({ run }));
  if (!engine.dialect.ddlCommits) return engine.transact([...rows, ...ddl], signal);
  await engine.transact(rows, signal);
  for (const step of ddl) await engine.transact([step], signal);
}

type Opened = { books: Books; target: Target; staging: string | null; state: LoadState; row: Row };

class SqlLoad implements Load {
  readonly guarantee = "exactly_once" as const;
  readonly state: LoadState;
  readonly #engine: LoadEngine;
  readonly #request: LoadRequest;
  readonly #books: Books;
  readonly #target: Target;
  readonly #staging: string | null;
  #row: Row;
  /** The steps of a batch that were encoded while the previous one was written. */
  #encoded: { batch: Batch; steps: Step[] } | null = null;

  constructor(engine: LoadEngine, request: LoadRequest, { books, target, staging, state, row }: Opened) {
    this.#engine = engine;
    this.#request = request;
    this.#books = books;
    this.#target = target;
    this.#staging = staging;
    this.#row = row;
    this.state = state;
  }

  async write(
    batch: Batch,
    { position, rejectsMax, following = null }: WriteOptions,
  ): Promise<{ written: number; rejected: RejectedRow[] }> {
    if (this.#row.isFinished) throw invalid("This load has already finished.");
    const onSent = following?.raw && (() => this.#encode(following));
    return writeAccepted(batch, rejectsMax, {
      write: async (part) => {
        const next = afterBatch(this.#row, part.rowCount, position);
        await this.#transact([this.#books.write(this.#row, next), ...this.#rowsInto(part)], { onSent });
        this.#row = next;
      },
      probe: (rows) => this.#transact(this.#rowsInto(rows), { isProbe: true }),
    });
  }

  #encode(batch: Batch): void {
    try {
      this.#encoded = { batch, steps: this.#rowsInto(batch) };
    } catch {
      // Its own write fails with the same error.
    }
  }

  async finish(): Promise<void> {
    if (this.#row.isFinished) return;
    const next = finished(this.#row);
    const steps: Step[] = [this.#books.write(this.#row, next)];
    const staging = this.#staging;
    if (staging !== null) {
      // Rows are replaced by rows, so views, grants, indexes and triggers of the table stay, and a reader whose
      // transaction started before sees the table in its former state.
      const { table } = this.#target;
      const { dialect } = this.#engine;
      if (this.#request.mode === "replace") {
        // Of two concurrent replaces, the second must delete the rows of the first.
        if (dialect.lockRows) steps.push({ run: dialect.lockRows(table) });
        steps.push({ run: `delete from ${table}` });
      }
      for (const run of dialect.merge(this.#target, staging)) steps.push({ run });
    }
    try {
      await inTurn(this.#engine, steps, this.#drops(), this.#request.signal);
    } catch (error) {
      if (!(error instanceof RowRefused)) throw error;
      throw new AppError("query_failed", `Couldn't replace the table: ${error.message}`, {
        details: { ...(error.column !== null && { column: error.column }) },
        cause: error,
      });
    }
    this.#row = next;
  }

  async abandon(): Promise<void> {
    if (this.#staging === null || this.#row.isFinished) return;
    const next = abandoned(this.#row);
    // The load's signal has aborted already, so this needs a new one.
    const signal = AbortSignal.timeout(ABANDON_TIMEOUT_MS);
    await inTurn(this.#engine, [this.#books.write(this.#row, next)], this.#drops(), signal);
    this.#row = next;
  }

  #drops(): string[] {
    return this.#staging === null ? [] : [`drop table if exists ${this.#staging}`];
  }

  /** @throws RowRefused for a row without its key: some databases would generate one */
  #rowsInto(batch: Batch): Step[] {
    if (batch.rowCount === 0) return [];
    const encoded = this.#encoded;
    this.#encoded = null;
    if (encoded?.batch === batch) return encoded.steps;
    for (const name of this.#request.primaryKey) {
      const column = this.#request.columns.findIndex((field) => field.name === name);
      const { raw, rowCount } = batch;
      const row = raw ? firstNull(raw, rowCount, column) : (batch.columns[column] ?? []).indexOf(null);
      if (row >= 0) throw new RowRefused("The row has no primary key value.", { row, column: name });
    }
    const table = this.#staging ?? this.#target.table;
    return this.#engine.dialect.write({ ...this.#target, table }, batch);
  }

  #transact(steps: readonly Step[], options: TransactOptions): Promise<void> {
    return this.#engine.transact(steps, this.#request.signal, options);
  }
}

/** The table in which a destination stores the progress of loads. */
class Books {
  readonly #engine: LoadEngine;
  readonly #schema: string | null;
  readonly #request: LoadRequest;

  constructor(engine: LoadEngine, schema: string | null, request: LoadRequest) {
    this.#engine = engine;
    this.#schema = schema;
    this.#request = request;
  }

  qualified(name: string): string {
    const { quote } = this.#engine.dialect;
    return this.#schema === null ? quote(name) : `${quote(this.#schema)}.${quote(name)}`;
  }

  get #table(): string {
    return this.qualified(LOADS_TABLE);
  }

  async ensure(): Promise<void> {
    const { signal } = this.#request;
    const place = { name: LOADS_TABLE, ...(this.#schema !== null && { schema: this.#schema }) };
    const isThere = async () => (await this.#engine.describe(place, signal)).shape !== null;
    if (await isThere()) return;
    const { quote, bookkeeping } = this.#engine.dialect;
    const { key, text, integer, suffix } = bookkeeping;
    const columns = [
      `${quote("load_id")} ${key} not null primary key`,
      `${quote("epoch")} ${integer} not null`,
      `${quote("batch")} ${integer} not null`,
      `${quote("run_id")} ${text} not null`,
      `${quote("position")} ${text}`,
      `${quote("base_position")} ${text}`,
      `${quote("row_count")} ${integer} not null`,
      `${quote("staging")} ${text}`,
      `${quote("is_finished")} ${integer} not null`,
      `${quote("updated_at")} ${text} not null`,
    ];
    const create = `create table if not exists ${this.#table} (${columns.join(", ")})${suffix}`;
    try {
      await this.#engine.transact([{ run: create }], signal).catch(async (error: unknown) => {
        if (signal.aborted || !(await this.#createSchema(error))) throw error;
        await this.#engine.transact([{ run: create }], signal);
      });
    } catch (error) {
      // Two loads that both find none create it at once.
      if (signal.aborted || (await isThere())) return;
      if (!(error instanceof AppError) || error.kind !== "query_failed") throw error;
      if (this.#schema !== null && NO_SCHEMA.test(error.message)) {
        throw new AppError(
          "query_failed",
          `The schema ${this.#schema} does not exist in the destination. Create it, or choose another schema. ${error.message}`,
          { cause: error },
        );
      }
      throw new AppError(
        "query_failed",
        `Couldn't create ${LOADS_TABLE}, which stores flow progress: ${error.message} Grant this user CREATE, or run as an admin: ${create}`,
        { cause: error },
      );
    }
  }

  /** @returns false for another error, or when it cannot be created */
  async #createSchema(error: unknown): Promise<boolean> {
    const { createSchema } = this.#engine.dialect;
    if (this.#schema === null || createSchema === null) return false;
    if (!(error instanceof AppError) || !NO_SCHEMA.test(error.message)) return false;
    try {
      await this.#engine.transact([{ run: createSchema(this.#schema) }], this.#request.signal);
      return true;
    } catch {
      return false;
    }
  }

  async read(): Promise<Row | null> {
    const { quote, placeholder } = this.#engine.dialect;
    const names = ["epoch", "batch", "run_id", "position", "base_position", "row_count", "staging", "is_finished"];
    const rows = await this.#engine.read(
      `select ${names.map(quote).join(", ")} from ${this.#table} where ${quote("load_id")} = ${placeholder(1)}`,
      [this.#request.load],
      this.#request.signal,
    );
    const [row] = rows;
    if (!row) return null;
    const [epoch, batch, run, position, base, rowCount, staging, isFinished] = row;
    return {
      epoch: Number(epoch),
      batch: Number(batch),
      run: String(run),
      position: fromText(position),
      base: fromText(base),
      rowCount: Number(rowCount),
      staging: staging === null ? null : String(staging),
      isFinishing: false,
      isFinished: Number(isFinished) === 1,
    };
  }

  /** Updates the row if this load still holds it, and nothing otherwise. */
  write(before: Row | null, next: Row): Step {
    const { quote, placeholder } = this.#engine.dialect;
    const values: [string, Param][] = [
      ["epoch", next.epoch],
      ["batch", next.batch],
      ["run_id", next.run],
      ["position", toText(next.position)],
      ["base_position", toText(next.base)],
      ["row_count", next.rowCount],
      ["staging", next.staging],
      ["is_finished", next.isFinished ? 1 : 0],
      ["updated_at", new Date().toISOString()],
    ];
    const params: Param[] = values.map(([, value]) => value);
    const { load } = this.#request;
    if (before === null) {
      const names = [...values.map(([name]) => name), "load_id"].map(quote).join(", ");
      const places = [...params, load].map((_, index) => placeholder(index + 1)).join(", ");
      return {
        run: `insert into ${this.#table} (${names}) values (${places})`,
        params: [...params, load],
        mustAffect: 1,
      };
    }
    const sets = values.map(([name], index) => `${quote(name)} = ${placeholder(index + 1)}`).join(", ");
    const holder: [string, Param][] = [
      ["load_id", load],
      ["epoch", before.epoch],
      ["batch", before.batch],
    ];
    const where = holder
      .map(([name], index) => `${quote(name)} = ${placeholder(values.length + index + 1)}`)
      .join(" and ");
    const run = `update ${this.#table} set ${sets} where ${where}`;
    return { run, params: [...params, ...holder.map(([, value]) => value)], mustAffect: 1 };
  }
}

function toText(position: Checkpoint | null): string | null {
  return position === null ? null : JSON.stringify(position);
}

function fromText(text: unknown): Checkpoint | null {
  return text === null || text === undefined ? null : (JSON.parse(String(text)) as Checkpoint);
}

/** Creates the table, or adds columns to it, concurrently with other loads. */
async function settleTable(
  engine: LoadEngine,
  request: LoadRequest,
  schema: string | null,
  first: TableShape | null,
  books: Books,
): Promise<TableShape> {
  let found = first;
  for (let tries = 1; ; tries += 1) {
    try {
      return await makeFit(engine, request, schema, found, books);
    } catch (error) {
      if (request.signal.aborted || tries === SETTLE_TRIES) throw error;
      const place = { ...request.table, ...(schema !== null && { schema }) };
      const { shape } = await engine.describe(place, request.signal);
      // If no one changed the table in between, the failure has another cause.
      if (shape === null || JSON.stringify(shape) === JSON.stringify(found)) throw error;
      found = shape;
    }
  }
}

async function makeFit(
  engine: LoadEngine,
  request: LoadRequest,
  schema: string | null,
  found: TableShape | null,
  books: Books,
): Promise<TableShape> {
  const { dialect } = engine;
  const { signal, primaryKey, mode } = request;
  const look = async () => {
    const { shape } = await engine.describe({ ...request.table, ...(schema !== null && { schema }) }, signal);
    if (!shape) throw new AppError("query_failed", `Table ${request.table.name} no longer exists.`);
    return shape;
  };
  if (found === null) {
    const create = createTable(dialect, books.qualified(request.table.name), request.columns, primaryKey);
    await engine.transact([{ run: create }], signal);
    return look();
  }
  const table = books.qualified(found.name);
  const changes: { field: Field; sql: string }[] = [];
  for (const field of request.columns) {
    const column = find(found, field.name, dialect);
    if (!column) {
      changes.push({
        field,
        sql: `alter table ${table} add column ${dialect.quote(field.name)} ${dialect.columnType(field, false)}`,
      });
      continue;
    }
    if (column.isGenerated) throw invalid(`Column ${column.name} of ${found.name} is generated and can't be written.`);
    const wider = widening(column, field);
    if (wider === "fits") continue;
    const type = wider && dialect.alterType && dialect.columnType(wider, false);
    if (type === null) {
      throw invalid(
        `Column ${column.name} of ${found.name} is ${column.dbType}, but the source is ${field.dbType || field.type}. Change the column type or use another table.`,
      );
    }
    if (type.toLowerCase() === column.dbType.toLowerCase()) continue;
    const sql = dialect.alterType?.(table, dialect.quote(column.name), type);
    if (sql !== undefined) changes.push({ field, sql });
  }
  for (const { field, sql } of changes) {
    try {
      await engine.transact([{ run: sql }], signal);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== "query_failed") throw error;
      throw new AppError(
        "invalid_request",
        `Couldn't widen column ${field.name} of ${found.name} for the incoming values: ${error.message}`,
        { cause: error },
      );
    }
  }
  const shape = changes.length > 0 ? await look() : found;
  if (mode === "upsert") requireKey(shape, primaryKey, dialect);
  return shape;
}

/** Requires a unique key in the database, or two concurrent runs would both insert. */
function requireKey(shape: TableShape, primaryKey: readonly string[], dialect: LoadDialect): void {
  const wanted = primaryKey.map((name) => mustFind(shape, name, dialect).name).sort();
  const isKey = shape.uniqueKeys.some((key) => JSON.stringify([...key].sort()) === JSON.stringify(wanted));
  if (isKey) return;
  const names = primaryKey.map(dialect.quote).join(", ");
  throw invalid(
    `Upsert needs a primary key or unique index on exactly (${primaryKey.join(", ")}) in ${shape.name}: create unique index on ${dialect.quote(shape.name)} (${names})`,
  );
}

function createTable(
  dialect: LoadDialect,
  table: string,
  columns: readonly Field[],
  primaryKey: readonly string[],
): string {
  const isKey = (name: string) => primaryKey.some((each) => isSame(each, name, dialect));
  const parts = columns.map((field) => {
    const key = isKey(field.name);
    return `${dialect.quote(field.name)} ${dialect.columnType(field, key)}${key ? " not null" : ""}`;
  });
  if (primaryKey.length > 0) {
    const names = columns.filter(({ name }) => isKey(name)).map(({ name }) => dialect.quote(name));
    parts.push(`primary key (${names.join(", ")})`);
  }
  return `create table ${table} (${parts.join(", ")})${dialect.bookkeeping.suffix}`;
}

/**
 * Creates an empty copy with the target's constraints, so that a row which the target would refuse is refused
 * immediately.
 */
function createLike(dialect: LoadDialect, staging: string, shape: TableShape, { columns, mode }: LoadRequest): string {
  const names = new Set(columns.map((field) => mustFind(shape, field.name, dialect).name));
  const own = shape.columns.filter(({ name }) => names.has(name));
  const parts = own.map(
    ({ name, dbType, nullable }) => `${dialect.quote(name)} ${dbType}${nullable ? "" : " not null"}`,
  );
  const keys = shape.uniqueKeys.filter((key) => key.length > 0 && key.every((name) => names.has(name)));
  // Appended rows may conflict with existing ones: the merge detects that.
  for (const key of mode === "append" ? [] : keys) parts.push(`unique (${key.map(dialect.quote).join(", ")})`);
  return `create table ${staging} (${parts.join(", ")})${dialect.bookkeeping.suffix}`;
}

function mustFind(shape: TableShape, name: string, dialect: LoadDialect): TableColumn {
  const column = find(shape, name, dialect);
  if (!column) throw new AppError("query_failed", `Column ${name} of ${shape.name} no longer exists.`);
  return column;
}

function find(shape: TableShape, name: string, dialect: LoadDialect): TableColumn | undefined {
  return findColumn(shape, name, (left, right) => isSame(left, right, dialect));
}

function isSame(left: string, right: string, { foldsCase }: Pick<LoadDialect, "foldsCase">): boolean {
  return foldsCase ? left.toLowerCase() === right.toLowerCase() : left === right;
}

function invalid(message: string): AppError {
  return new AppError("invalid_request", message);
}
