import "server-only";
import { createHash } from "node:crypto";
import type { Batch, Field, WireValue } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import type {
  Checkpoint,
  ExtractRequest,
  ExtractStream,
  Load,
  LoadRequest,
  LoadState,
  QueryableSource,
  RejectedRow,
  WriteOptions,
} from "../../data-source";
import { widening } from "../shared/flows/fit";
import {
  ABANDON_TIMEOUT_MS,
  abandoned,
  afterBatch,
  finished,
  finishing,
  openProgress,
  type Progress,
} from "../shared/flows/load-progress";
import { encodedRows, RowRefused, writeAccepted } from "../shared/flows/rows";
import { type Bound, extractBySql, extractOptions } from "../shared/flows/sql-extract";
import {
  checkRequest,
  LOADS_TABLE,
  LoadTaken,
  readOnlyDestination,
  stagingNameOf,
  withColumns,
} from "../shared/flows/sql-load";
import type { TableColumn, TargetColumn } from "../shared/flows/table-shape";
import { quote } from "../shared/flows/upsert";
import {
  type ClickHouseShape,
  COLUMNS_SQL,
  clickHouseType,
  plainType,
  TABLE_SQL,
  toClickHouseCell,
  toShape,
} from "./tables";

/*
 * ClickHouse has no transactions, so rows and position are two writes, the rows first. The server drops a repeated
 * batch with the same rows at the same position (docs/develop/flows.md lists what that guarantees).
 */

/** Batches that a table without replicas remembers for deduplication. */
const DEDUPLICATED_BATCHES = 1000;
/** Prefix of the comment on a table that is about to replace another. */
const MARK = "millrace takes this for";

type Setting = readonly [name: string, value: string];

export type ClickHouseFlowParts = {
  query: QueryableSource["query"];
  /** Runs a statement without a result, or reads its whole result. */
  run(sql: string, settings: readonly Setting[], signal: AbortSignal): Promise<WireValue[][]>;
  /** The server's time limit for one statement of a load, in ms. */
  statementTimeoutMs: number;
};

export function extractClickHouse(parts: ClickHouseFlowParts, request: ExtractRequest): Promise<ExtractStream> {
  return extractBySql(
    {
      dialect: {
        quote,
        nullsFirst: " NULLS FIRST",
        // UUIDs sort in a special order.
        cursorOrder: ({ type }, expression) => (type === "string" ? `toString(${expression})` : expression),
        bind,
      },
      describe: (entity, signal) => look(parts, entity, signal),
      query: (sql, params) =>
        parts.query(
          { query: sql, params: Object.fromEntries(params.map((value, index) => [`p${index + 1}`, value])) },
          extractOptions(request.signal),
        ),
    },
    request,
  );
}

function bind(value: Exclude<WireValue, null>, { type, dbType }: TableColumn, place: number): Bound {
  const plain = plainType(dbType);
  const digits = /^DateTime64\((\d)/.exec(plain)?.[1];
  if (digits !== undefined)
    return { sql: `parseDateTime64BestEffort({p${place}:String}, ${digits}, 'UTC')`, param: value };
  if (/^DateTime/.test(plain)) return { sql: `parseDateTimeBestEffort({p${place}:String}, 'UTC')`, param: value };
  return { sql: `{p${place}:${type === "string" ? "String" : plain}}`, param: value };
}

async function look(
  { run }: Pick<ClickHouseFlowParts, "run">,
  { schema = "", name }: { schema?: string; name: string },
  signal: AbortSignal,
): Promise<ClickHouseShape | null> {
  const [table] = await run(TABLE_SQL, [["param_database", escaped(schema)], ["param_name", escaped(name)]], signal); // biome-ignore format: two of them
  if (!table) return null;
  const place: Setting[] = [["param_database", escaped(String(table[0]))], ["param_name", escaped(name)]]; // biome-ignore format: two of them
  return toShape(table, await run(COLUMNS_SQL, place, signal));
}

/** Opens a load. @throws NoColumns; AppError `read_only`, `invalid_request`, `query_failed` */
export async function loadClickHouse(parts: ClickHouseFlowParts, given: LoadRequest, readOnly: boolean): Promise<Load> {
  if (readOnly) throw readOnlyDestination();
  const request = await withColumns(given, () => look(parts, given.table, given.signal));
  checkRequest(request, { foldsCase: false, nameLimit: null });
  const [current] = await parts.run("SELECT currentDatabase()", [], request.signal);
  const load = new ClickHouseLoad(parts, request, request.table.schema ?? String(current?.[0] ?? "default"));
  await load.open();
  return load;
}

type Books = Progress<string>;

class ClickHouseLoad implements Load {
  readonly guarantee = "at_least_once" as const;
  readonly #parts: ClickHouseFlowParts;
  readonly #request: LoadRequest;
  readonly #database: string;
  readonly #isStaged: boolean;
  readonly #staging: string;
  #signal: AbortSignal;
  #columns: TargetColumn[] = [];
  #books: Books;
  #state: LoadState = { position: null, isResumed: false, rowCount: 0, isFinished: false };

  constructor(parts: ClickHouseFlowParts, request: LoadRequest, database: string) {
    this.#parts = parts;
    this.#request = request;
    this.#signal = request.signal;
    this.#database = database;
    this.#isStaged = request.mode === "replace" || request.visible === "end";
    this.#staging = stagingNameOf(request.load);
    this.#books = openProgress<string>(null, { run: request.run, staging: null, isKept: false }).next;
  }

  get state(): LoadState {
    return this.#state;
  }

  async open(): Promise<void> {
    await this.#run(
      `CREATE TABLE IF NOT EXISTS ${this.#name(LOADS_TABLE)} (load_id String, epoch Int64, batch Int64, run_id String,
        position Nullable(String), base_position Nullable(String), row_count Int64, staging Nullable(String),
        is_finishing Int8, is_finished Int8, updated_at DateTime64(3, 'UTC') DEFAULT now64(3))
        ENGINE = ReplacingMergeTree(batch) ORDER BY (load_id, epoch)`,
    );
    const before = await this.#read();
    const shape = await this.#settle();
    this.#columns = this.#request.columns.map((field) => ({ ...find(shape, field.name), from: field.type }));
    const mayResume = before?.run === this.#request.run && before.staging !== null;
    const { next, isResumed } = openProgress(before, {
      run: this.#request.run,
      staging: this.#isStaged ? this.#staging : null,
      isKept: mayResume && (await this.#isThere(this.#staging)),
    });
    const { position, rowCount, isFinished } = next;
    this.#state = {
      position: position === null ? null : (JSON.parse(position) as Checkpoint),
      isResumed,
      rowCount,
      isFinished,
    };
    await this.#note(next);
    if (!isResumed && (this.#isStaged || before?.staging != null)) {
      await this.#run(`DROP TABLE IF EXISTS ${this.#name(this.#staging)} SYNC`);
    }
    if (this.#isStaged && !isResumed) {
      await this.#run(`CREATE TABLE ${this.#name(this.#staging)} AS ${this.#name(this.#request.table.name)}`);
    }
    if (this.#books.isFinishing) await this.finish();
  }

  async write(
    batch: Batch,
    { position, rejectsMax }: WriteOptions,
  ): Promise<{ written: number; rejected: RejectedRow[] }> {
    if (this.#books.isFinished) throw new AppError("invalid_request", "This load has already finished.");
    await this.#requireHeld();
    return writeAccepted(batch, rejectsMax, {
      write: async (part) => {
        await this.#insert(part);
        const stored = position === null ? null : JSON.stringify(position);
        await this.#note(afterBatch(this.#books, part.rowCount, stored));
      },
      probe: null,
    });
  }

  /** Requires that no other run has stored progress in between, since there is no lock. @throws LoadTaken */
  async #requireHeld(): Promise<void> {
    const held = await this.#read();
    if (held?.epoch !== this.#books.epoch || held.batch !== this.#books.batch) throw new LoadTaken();
  }

  /** Inserts a batch. An INSERT of fewer rows than a block is atomic. */
  async #insert(batch: Batch): Promise<void> {
    if (batch.rowCount === 0) return;
    this.#refuseNulls(batch);
    const lines: string[] = [];
    for (const row of encodedRows(batch, this.#columns, toClickHouseCell)) lines.push(JSON.stringify(row));
    const body = lines.join("\n");
    const { load, run } = this.#request;
    const token = createHash("sha256")
      .update(JSON.stringify([load, run, this.#books.position]))
      .update(body)
      .digest("hex");
    const table = this.#name(this.#books.staging ?? this.#request.table.name);
    const names = this.#columns.map(({ name }) => quote(name)).join(", ");
    try {
      await this.#run(`INSERT INTO ${table} (${names}) FORMAT JSONCompactEachRow\n${body}\n`, [
        ["insert_deduplication_token", token],
        ["max_insert_block_size", String(batch.rowCount + 1)],
      ]);
    } catch (error) {
      throw refusedRow(error) ?? error;
    }
  }

  /** @throws RowRefused, since the server would store the default, a zero or an empty text */
  #refuseNulls(batch: Batch): void {
    for (const [index, { name, nullable, type }] of this.#columns.entries()) {
      if (nullable || type === "array") continue;
      const row = batch.columns[index]?.indexOf(null) ?? -1;
      if (row >= 0) throw new RowRefused(`Column ${name} does not allow NULL.`, { row, column: name });
    }
  }

  async finish(): Promise<void> {
    if (this.#books.isFinished) return;
    await this.#requireHeld();
    if (this.#books.staging !== null) {
      await this.#note(finishing(this.#books));
      if (this.#request.mode === "replace") await this.#exchange();
      else await this.#copy();
    }
    await this.#note(finished(this.#books));
    await this.#run(`DROP TABLE IF EXISTS ${this.#name(this.#staging)} SYNC`);
  }

  /** Swaps the tables of both names atomically. After a kill, the mark tells whether that happened. */
  async #exchange(): Promise<void> {
    const { name } = this.#request.table;
    const mark = `${MARK} ${createHash("sha256")
      .update(JSON.stringify([this.#request.load, this.#request.run]))
      .digest("hex")}`;
    const target = await this.#look(name);
    if (target?.comment !== mark) {
      await this.#run(`ALTER TABLE ${this.#name(this.#staging)} MODIFY COMMENT '${mark}'`);
      await this.#run(`EXCHANGE TABLES ${this.#name(name)} AND ${this.#name(this.#staging)}`);
    }
    const comment = (await this.#look(this.#staging))?.comment ?? "";
    const text = comment.replace(/[\\']/g, (char) => `\\${char}`);
    await this.#run(`ALTER TABLE ${this.#name(name)} MODIFY COMMENT '${comment.startsWith(MARK) ? "" : text}'`);
  }

  /** Copies block by block; the server drops a repeated block. */
  async #copy(): Promise<void> {
    const names = this.#columns.map(({ name }) => quote(name)).join(", ");
    const { load, run, table } = this.#request;
    await this.#run(
      `INSERT INTO ${this.#name(table.name)} (${names}) SELECT ${names} FROM ${this.#name(this.#staging)}`,
      [
        [
          "insert_deduplication_token",
          createHash("sha256")
            .update(JSON.stringify([load, run, "all"]))
            .digest("hex"),
        ],
        ["max_threads", "1"],
        ["max_insert_threads", "1"],
      ],
    );
  }

  async abandon(): Promise<void> {
    if (this.#books.staging === null || this.#books.isFinished) return;
    // The load's signal has aborted already, so this needs a new one.
    this.#signal = AbortSignal.timeout(ABANDON_TIMEOUT_MS);
    await this.#note(abandoned(this.#books));
    await this.#run(`DROP TABLE IF EXISTS ${this.#name(this.#staging)} SYNC`);
  }

  /** Creates the table, or adds columns to it. */
  async #settle(): Promise<ClickHouseShape> {
    const { columns, mode, primaryKey, table } = this.#request;
    const target = this.#name(table.name);
    const found = await this.#look(table.name);
    if (found === null) {
      const parts = columns.map(
        (field) => `${quote(field.name)} ${clickHouseType(field, primaryKey.includes(field.name))}`,
      );
      const order = primaryKey.length === 0 ? "tuple()" : `(${primaryKey.map(quote).join(", ")})`;
      const engine = mode === "upsert" ? "ReplacingMergeTree" : "MergeTree";
      await this.#run(
        `CREATE TABLE ${target} (${parts.join(", ")}) ENGINE = ${engine} ORDER BY ${order} SETTINGS non_replicated_deduplication_window = ${DEDUPLICATED_BATCHES}`,
      );
      return this.#mustLook(table.name);
    }
    if (mode === "upsert") requireReplacing(found, primaryKey);
    for (const field of columns) {
      const column = found.columns.find(({ name }) => name === field.name);
      if (!column) {
        await this.#run(`ALTER TABLE ${target} ADD COLUMN ${quote(field.name)} ${clickHouseType(field, false)}`);
        continue;
      }
      if (column.isGenerated) throw invalid(`Column ${column.name} is generated and can't be written.`);
      await this.#widen(found, column, field);
    }
    return this.#mustLook(table.name);
  }

  async #widen(shape: ClickHouseShape, column: TableColumn, field: Field): Promise<void> {
    const plain = { type: column.type, dbType: plainType(column.dbType) };
    const wider = widening(plain, field);
    if (wider === "fits") return;
    const message = `Column ${column.name} of ${shape.name} is ${column.dbType}, but the source is ${field.dbType || field.type}. Change the column type or use another table.`;
    if (wider === null || shape.sortingKey.includes(column.name)) throw invalid(message);
    const type = clickHouseType(wider, !column.nullable);
    if (type === column.dbType) return;
    await this.#run(`ALTER TABLE ${this.#name(shape.name)} MODIFY COLUMN ${quote(column.name)} ${type}`);
  }

  async #read(): Promise<Books | null> {
    const [row] = await this.#parts.run(
      `SELECT epoch, batch, run_id, position, base_position, row_count, staging, is_finishing, is_finished
        FROM ${this.#name(LOADS_TABLE)} WHERE load_id = {load:String} ORDER BY epoch DESC, batch DESC LIMIT 1`,
      [["param_load", escaped(this.#request.load)]],
      this.#signal,
    );
    if (!row) return null;
    const [epoch, batch, run, position, base, rowCount, staging, isFinishing, isFinished] = row;
    const text = (value: WireValue | undefined) => (value === null || value === undefined ? null : String(value));
    return {
      ...{ epoch: Number(epoch), batch: Number(batch), run: String(run), rowCount: Number(rowCount) },
      ...{ position: text(position), base: text(base), staging: text(staging) },
      ...{ isFinishing: Number(isFinishing) === 1, isFinished: Number(isFinished) === 1 },
    };
  }

  async #note(next: Books): Promise<void> {
    const { epoch, batch, run, position, base, rowCount, staging, isFinishing, isFinished } = next;
    const row = [
      this.#request.load,
      epoch,
      batch,
      run,
      position,
      base,
      rowCount,
      staging,
      Number(isFinishing),
      Number(isFinished),
    ];
    const names =
      "load_id, epoch, batch, run_id, position, base_position, row_count, staging, is_finishing, is_finished";
    await this.#run(
      `INSERT INTO ${this.#name(LOADS_TABLE)} (${names}) FORMAT JSONCompactEachRow\n${JSON.stringify(row)}\n`,
    );
    this.#books = next;
  }

  #run(sql: string, settings: readonly Setting[] = []): Promise<WireValue[][]> {
    const own: Setting[] = [
      ["async_insert", "0"],
      ["date_time_input_format", "best_effort"],
      ["insert_deduplication_token", ""],
      ["max_execution_time", String(Math.ceil(this.#parts.statementTimeoutMs / 1000))],
    ];
    const named = new Set(settings.map(([name]) => name));
    return this.#parts.run(sql, [...own.filter(([name]) => !named.has(name)), ...settings], this.#signal);
  }

  #look(name: string): Promise<ClickHouseShape | null> {
    return look(this.#parts, { schema: this.#database, name }, this.#signal);
  }

  async #mustLook(name: string): Promise<ClickHouseShape> {
    const shape = await this.#look(name);
    if (!shape) throw new AppError("query_failed", `Table ${name} no longer exists.`);
    return shape;
  }

  async #isThere(name: string): Promise<boolean> {
    return (await this.#look(name)) !== null;
  }

  #name(name: string): string {
    return `${quote(this.#database)}.${quote(name)}`;
  }
}

/** Requires an engine that removes the older rows of one key. */
function requireReplacing({ name, engine, sortingKey }: ClickHouseShape, primaryKey: readonly string[]): void {
  const isSame = JSON.stringify([...sortingKey].sort()) === JSON.stringify([...primaryKey].sort());
  if (/Replacing/.test(engine) && isSame) return;
  throw invalid(
    `Upsert needs a ReplacingMergeTree table with ORDER BY (${primaryKey.join(", ")}). ${name} is ${engine} with ORDER BY (${sortingKey.join(", ")}). Use a new table or append.`,
  );
}

function find(shape: ClickHouseShape, name: string): TableColumn {
  const column = shape.columns.find((each) => each.name === name);
  if (!column) throw new AppError("query_failed", `Column ${name} of ${shape.name} no longer exists.`);
  return column;
}

/**
 * Returns the server's error about a row that it cannot read, or that breaks a rule of the table; null for other
 * errors.
 */
function refusedRow(error: unknown): RowRefused | null {
  if (!(error instanceof AppError) || error.kind !== "query_failed") return null;
  const [, row] = /\(at row (\d+)\)/.exec(error.message) ?? [];
  const [, column] = /while reading the value of key ([^)]+)\)/.exec(error.message) ?? [];
  const code = error.details && "code" in error.details ? Number(error.details.code) : 0;
  if (row === undefined && code !== VIOLATED_CONSTRAINT) return null;
  const message = error.message.split("\n")[0] ?? error.message;
  return new RowRefused(message, {
    row: row === undefined ? null : Number(row) - 1,
    column: column ?? null,
    cause: error,
  });
}

const VIOLATED_CONSTRAINT = 469;

/** Escapes as in the format TabSeparated, in which parameters are sent. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n");
}

function invalid(message: string): AppError {
  return new AppError("invalid_request", message);
}
