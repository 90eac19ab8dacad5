import "server-only";
import type { Field } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import type { ExtractRequest, ExtractStream, Load, LoadRequest, QueryableSource } from "../../data-source";
import type { NameLimit } from "../../name-limit";
import { encodedRows, RowRefused } from "../shared/flows/rows";
import { type Bound, extractBySql, extractOptions } from "../shared/flows/sql-extract";
import { beginSqlLoad, type LoadDialect, LoadTaken, type Step, type Target } from "../shared/flows/sql-load";
import { readFields, type TableColumn, type TableShape } from "../shared/flows/table-shape";
import type { SessionPool } from "../shared/session-pool";
import { withCancellation } from "../shared/statement-run";
import { COMPARED_BYTES } from "./column-values";
import { toQueryFailure } from "./failures";
import type { MysqlSession } from "./session";
import { COLUMNS_SQL, ENGINE_SQL, KEYS_SQL, mysqlType, toMysqlCell, toShape } from "./tables";

/** Maximum values of a prepared statement, which is prepared quickly and sent many times. */
const STATEMENT_VALUES = 4000;
/** Share of a packet's maximum for rows; names and lengths are extra. */
const PACKET_SHARE = 0.5;
/** Maximum bytes of one statement, however large packets may be. */
const STATEMENT_BYTES_MAX = 4 * 1024 * 1024;
const SCALAR_BYTES = 12;
/** The name limit of MySQL and MariaDB, which refuse longer names. */
export const MYSQL_NAME_LIMIT: NameLimit = { max: 64, unit: "characters" };
const BATCH_TABLE = "_millrace_batch";
const DEADLOCK = 1213;
/** Maximum attempts after deadlocks, far more than loads that write to one table at once. */
const DEADLOCK_TRIES = 20;

export type MysqlFlowParts = {
  pool: SessionPool<MysqlSession>;
  secrets: readonly string[];
  query: QueryableSource["query"];
  /** The server's time limit for one statement of a load, in ms. */
  statementTimeoutMs: number;
};

const quote = (name: string) => `\`${name.replaceAll("`", "``")}\``;

export function extractMysql(parts: MysqlFlowParts, request: ExtractRequest): Promise<ExtractStream> {
  return extractBySql(
    {
      dialect: {
        quote,
        nullsFirst: "",
        // Ordered by the bytes of UTF-8: every character collation ignores trailing blanks.
        cursorOrder: ({ type }, expression) =>
          type === "string" ? `cast(convert(${expression} using utf8mb4) as binary)` : expression,
        bind,
      },
      describe: async (entity, signal) => (await look(parts, entity, signal)).shape,
      query: (sql, params) =>
        parts.query({ query: sql, params, orderBytes: COMPARED_BYTES }, extractOptions(request.signal)),
    },
    request,
  );
}

export function loadMysql(parts: MysqlFlowParts, request: LoadRequest, readOnly: boolean): Promise<Load> {
  return beginSqlLoad(
    {
      dialect,
      readOnly,
      describe: async (table, signal) => {
        const found = await look(parts, table, signal);
        if (found.shape) await requireTransactions(parts, found.shape, signal);
        return found;
      },
      read: (sql, params, signal) => ask(parts, signal, (session) => session.run(sql, params.map(String))),
      transact: (steps, signal, { isProbe = false } = {}) => transact(parts, steps, signal, isProbe),
    },
    request,
  );
}

/** Binds a cursor value. A text would be compared to a number as a double, which does not hold every integer. */
function bind(value: unknown, { type, dbType }: TableColumn): Bound {
  const text = String(value);
  switch (type) {
    case "int32":
    case "int64":
      return { sql: `cast(? as ${text.startsWith("-") ? "signed" : "unsigned"})`, param: text };
    case "decimal":
      return { sql: "cast(? as decimal(65,30))", param: text };
    case "float64":
      // A FLOAT is shown by its shortest digits, and compared as the double that it is.
      return { sql: "(? + 0e0)", param: /^float/i.test(dbType) ? Math.fround(Number(value)) : Number(value) };
    case "date":
      return { sql: "cast(? as date)", param: text };
    case "time":
      return { sql: "cast(? as time(6))", param: text };
    case "timestamp":
    case "timestamptz":
      return { sql: "cast(? as datetime(6))", param: text.replace(/Z$/, "").replace("T", " ") };
    case "binary":
      return { sql: "from_base64(?)", param: text };
    default:
      return { sql: "?", param: text };
  }
}

const dialect: LoadDialect = {
  quote,
  placeholder: () => "?",
  foldsCase: true,
  nameLimit: MYSQL_NAME_LIMIT,
  // Only an admin creates databases.
  createSchema: null,
  columnType: mysqlType,
  bookkeeping: {
    key: "varchar(200) character set utf8mb4 collate utf8mb4_bin",
    text: "longtext character set utf8mb4",
    integer: "bigint",
    suffix: " engine=InnoDB default character set utf8mb4",
  },
  alterType: (table, column, type) => `alter table ${table} modify column ${column} ${type}`,
  ddlCommits: true,
  lockRows: null,
  write({ table, columns, key }, rows) {
    if (key.length === 0) return [{ rows, into: { table, columns } }];
    const batch = quote(BATCH_TABLE);
    const names = namesOf(columns);
    return [
      { run: `create temporary table ${batch} (unique key (${key.join(", ")})) select ${names} from ${table} limit 0` },
      // The last of several rows with one key counts.
      { rows, into: { table: batch, columns }, suffix: `on duplicate key update ${assignments(columns)}` },
      ...putTogether({ table, columns, key }, batch).map((run) => ({ run })),
      { run: `drop temporary table ${batch}` },
    ];
  },
  merge: (target, staging) => {
    const names = namesOf(target.columns);
    if (target.key.length === 0) return [`insert into ${target.table} (${names}) select ${names} from ${staging}`];
    return putTogether(target, staging);
  },
};

/**
 * Updates existing rows and adds the others. ON DUPLICATE KEY UPDATE on the table itself would do both at once, but
 * update another row where a second unique index of the table already has the value.
 */
function putTogether({ table, columns, key }: Target, source: string): string[] {
  const on = key.map((name) => `t.${name} = s.${name}`).join(" and ");
  const names = columns.map(({ name }) => quote(name));
  const others = names.filter((name) => !key.includes(name));
  const insert = `insert into ${table} (${names.join(", ")}) select ${names.map((name) => `s.${name}`).join(", ")}
    from ${source} s left join ${table} t on ${on} where t.${key[0]} is null`;
  if (others.length === 0) return [insert];
  const sets = others.map((name) => `t.${name} = s.${name}`).join(", ");
  return [`update ${table} t join ${source} s on ${on} set ${sets}`, insert];
}

function namesOf(columns: Target["columns"]): string {
  return columns.map(({ name }) => quote(name)).join(", ");
}

function assignments(columns: Target["columns"]): string {
  return columns.map(({ name }) => `${quote(name)} = values(${quote(name)})`).join(", ");
}

/** Requires an engine with transactions. @throws AppError `invalid_request` where a batch could stay half written */
async function requireTransactions(
  parts: MysqlFlowParts,
  { schema, name }: TableShape,
  signal: AbortSignal,
): Promise<void> {
  const [row] = await ask(parts, signal, (session) => session.run(ENGINE_SQL, [schema ?? "", name]));
  const [engine, transactions] = row ?? [];
  if (transactions === "YES") return;
  const what =
    engine === null || engine === undefined
      ? "is not a base table"
      : `uses ${engine}, which does not support transactions`;
  throw new AppError("invalid_request", `${name} ${what}, so a batch could be partially written. Use an InnoDB table.`);
}

async function look(
  parts: MysqlFlowParts,
  { schema, name }: { schema?: string | null; name: string },
  signal: AbortSignal,
): Promise<{ schema: string | null; shape: TableShape | null }> {
  const found = await ask(parts, signal, async (session) => {
    const columns = await session.run(COLUMNS_SQL.replace("?", schema == null ? "null" : "?"), [
      ...(schema == null ? [] : [schema]),
      name,
      name,
    ]);
    const [first] = columns;
    if (!first) return { place: String((await session.run("select database()"))[0]?.[0] ?? ""), columns, keys: [] };
    const place = [String(first[0]), String(first[1])];
    return { place: place[0] ?? "", columns, keys: await session.run(KEYS_SQL, place) };
  });
  const [first] = found.columns;
  const place = schema ?? found.place;
  if (!first) {
    if (place === "")
      throw new AppError("invalid_request", "Enter the database of the table. This connection has no default.");
    return { schema: place, shape: null };
  }
  const own = found.columns.filter((row) => row[1] === first[1]).map((row) => String(row[2]));
  const table = `${quote(String(first[0]))}.${quote(String(first[1]))}`;
  const sql = `select ${own.map(quote).join(", ")} from ${table} limit 0`;
  const fields = await readFields(parts.query({ query: sql }, extractOptions(signal)));
  const types = new Map(fields.map((field: Field) => [field.name, field.type]));
  return { schema: String(first[0]), shape: toShape(found.columns, found.keys, types) };
}

async function ask<T>(
  { pool, secrets }: MysqlFlowParts,
  signal: AbortSignal,
  work: (session: MysqlSession) => Promise<T>,
): Promise<T> {
  try {
    return await withCancellation(pool, signal, work);
  } catch (error) {
    if (signal.aborted || error instanceof RowRefused || error instanceof LoadTaken) throw error;
    throw toQueryFailure(error, "", secrets);
  }
}

/**
 * Runs steps in a transaction and retries it after a deadlock. The server rolls one of the two writers back, while the
 * other succeeds.
 */
async function transact(
  parts: MysqlFlowParts,
  steps: readonly Step[],
  signal: AbortSignal,
  isProbe: boolean,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await transactOnce(parts, steps, signal, isProbe);
    } catch (error) {
      if (tries === DEADLOCK_TRIES || !isDeadlock(error)) throw error;
    }
  }
}

function isDeadlock(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : null;
  return cause instanceof Error && "errno" in cause && cause.errno === DEADLOCK;
}

function transactOnce(
  parts: MysqlFlowParts,
  steps: readonly Step[],
  signal: AbortSignal,
  isProbe: boolean,
): Promise<void> {
  return ask(parts, signal, async (session) => {
    await session.prepareLoad(parts.statementTimeoutMs);
    try {
      for (const step of steps) {
        signal.throwIfAborted();
        if ("run" in step) {
          const count = await session.count(step.run, step.params ?? []);
          if (step.mustAffect !== undefined && count !== step.mustAffect) throw new LoadTaken();
        } else await insert(session, step);
      }
    } catch (error) {
      throw isAboutRows(error) ? toRefusal(error, 0) : error;
    }
    // A cancellation between two statements stops nothing on the server.
    signal.throwIfAborted();
    await session.run(isProbe ? "ROLLBACK" : "COMMIT");
  });
}

/** Inserts rows by prepared statements of many rows each, which fit into the server's packets. */
async function insert(
  session: MysqlSession,
  { rows, into, suffix = "" }: Extract<Step, { rows: unknown }>,
): Promise<void> {
  const width = into.columns.length;
  const rowsMax = Math.max(1, Math.floor(STATEMENT_VALUES / width));
  const packet = Number((await session.run("select @@max_allowed_packet"))[0]?.[0]);
  const bytesMax = Math.min(packet * PACKET_SHARE, STATEMENT_BYTES_MAX);
  const place = `(${into.columns.map(() => "?").join(", ")})`;
  const head = `insert into ${into.table} (${namesOf(into.columns)}) values `;
  let values: (string | number | Buffer | null)[] = [];
  let bytes = 0;
  let from = 0;
  let at = 0;
  const send = async () => {
    const count = at - from;
    if (count === 0) return;
    const text = `${head}${Array.from({ length: count }, () => place).join(", ")} ${suffix}`;
    try {
      await session.count(text, values);
    } catch (error) {
      throw isAboutRows(error) ? toRefusal(error, from) : error;
    }
    values = [];
    bytes = 0;
    from = at;
  };
  for (const row of encodedRows(rows, into.columns, toMysqlCell)) {
    let rowBytes = 0;
    for (const cell of row)
      rowBytes +=
        typeof cell === "string" ? Buffer.byteLength(cell) : ((cell as Buffer | null)?.length ?? SCALAR_BYTES);
    if (rowBytes > packet * PACKET_SHARE) {
      throw new RowRefused(`The row exceeds the server's max_allowed_packet of ${packet} bytes.`, {
        row: at,
      });
    }
    if (at - from >= rowsMax || bytes + rowBytes > bytesMax) await send();
    values.push(...row);
    bytes += rowBytes;
    at += 1;
  }
  await send();
}

type ServerError = Error & { errno: number; sqlState: string; sqlMessage?: string };

/** Errors about values that are invalid for their column, and about table rules that a row breaks. */
const ROW_ERRORS = new Set([
  1048, 1062, 1136, 1169, 1216, 1217, 1264, 1265, 1292, 1364, 1366, 1367, 1406, 1411, 1451, 1452, 1644, 3140, 3819,
  4025,
]);

function isAboutRows(error: unknown): error is ServerError {
  if (!(error instanceof Error) || !("errno" in error) || !("sqlState" in error)) return false;
  return ROW_ERRORS.has(Number(error.errno)) || /^2[23]/.test(String(error.sqlState));
}

function toRefusal(error: ServerError, from: number): RowRefused {
  const message = error.sqlMessage ?? error.message;
  const [, row] = /at row (\d+)$/.exec(message) ?? [];
  const [, column] = /column (?:`[^`]*`\.)?(?:`[^`]*`\.)?[`'](.+?)[`']/i.exec(message) ?? [];
  return new RowRefused(message.replace(/ at row \d+$/, ""), {
    row: row === undefined || Number(row) < 1 ? null : from + Number(row) - 1,
    column: column ?? null,
    cause: error,
  });
}
