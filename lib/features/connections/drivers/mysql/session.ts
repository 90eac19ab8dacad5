import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, type ConnectionOptions, createConnection } from "mysql2";
import { AppError } from "@/lib/platform/http/errors";
import { startDeadline } from "@/lib/platform/net/deadline";
import type { Dialer } from "@/lib/platform/net/dialer";
import type { NetworkConfig } from "../shared/config";
import { connectionLost } from "../shared/failures";
import { CANCEL_TIMEOUT_MS, CONNECT_TIMEOUT_MS } from "../shared/limits";
import { preferringTls } from "../shared/preferring-tls";
import type { OnServer } from "../shared/server";
import type { PooledSession } from "../shared/session-pool";
import { toConnectFailure } from "./failures";
import { guardPackets } from "./guarded-packets";
import { harmlessModes } from "./modes";
import { PacketLengths } from "./packet-lengths";
import { type OkPacket, RowReader, type RowReaderOptions } from "./row-reader";

const hasNoTls = (cause: unknown) =>
  cause instanceof Error && "code" in cause && cause.code === "HANDSHAKE_NO_SSL_SUPPORT";

/** Types whose bytes the library would convert. */
const AS_BYTES = new Set(["BIT", "GEOMETRY", "VECTOR"]);
/** Types whose texts the library would convert to numbers. */
const AS_DIGITS = new Set(["TINY", "SHORT", "LONG", "INT24", "YEAR", "LONGLONG", "FLOAT", "DOUBLE"]);

/** The protocol's flag of an open transaction. */
const STATUS_IN_TRANSACTION = 1;

/** The protocol's type number of FLOAT. */
const FLOAT = 4;

/**
 * Maximum prepared statements: a statement needs one, a load a few. The library reserves slots for them, by default
 * half a mebibyte per session.
 */
const PREPARED_MAX = 32;

/**
 * Seconds that the server waits for a reader that writes elsewhere before it takes the next rows; the default is a
 * minute.
 */
const READER_PAUSE_S = 3600;

/**
 * Memory for sorts of whole values: MariaDB's default. MySQL's default of 256 KiB is too little for 15 rows with a few
 * columns of 16 KiB, the fewest that it sorts.
 */
const SORT_BUFFER_BYTES = 2 * 1024 * 1024;

// Internals of the library's connection, which its types omit.
type ConnectionInside = Connection & {
  stream: NodeJS.ReadableStream & { destroy(): void; ref?(): void; unref?(): void };
};

/** One session with the server, on a socket of the egress proxy. */
export class MysqlSession implements PooledSession {
  readonly #config: OnServer<NetworkConfig>;
  readonly #connection: ConnectionInside;
  #isAlive = true;
  #reader: RowReader | null = null;
  #rowBytesMax = Number.POSITIVE_INFINITY;
  #sqlMode = "";
  /** Null for a server of the family that lacks these settings. */
  #sortDefaults: { lengthBytes: number; bufferBytes: number } | null = null;
  /** Rejects when the session is cut, since the library then calls no callbacks. */
  readonly #cut = Promise.withResolvers<never>();
  serverVersion = "";
  /** The server's transaction status after the last `whenReady`. */
  isInTransaction = false;
  /** A cancellation ends only the statement, and keeps the session with its transaction. */
  keepsTransaction = false;

  private constructor(config: OnServer<NetworkConfig>, connection: Connection) {
    this.#config = config;
    this.#connection = connection as ConnectionInside;
    this.#cut.promise.catch(() => {});
    const die = (error?: unknown) => {
      this.#isAlive = false;
      this.#reader?.fail(error ?? new Error("The connection was closed."));
    };
    connection.on("error", die);
    connection.on("end", () => die());
  }

  /** Opens a session. @throws AppError `source_unreachable`, `timeout`, `address_refused`; the signal's reason */
  static open(config: OnServer<NetworkConfig>, signal: AbortSignal): Promise<MysqlSession> {
    return preferringTls(config, (given) => MysqlSession.#open(given, signal), hasNoTls);
  }

  static async #open(config: OnServer<NetworkConfig>, signal: AbortSignal): Promise<MysqlSession> {
    const deadline = startDeadline(CONNECT_TIMEOUT_MS, signal);
    deadline.signal.throwIfAborted();
    const connection = createConnection(optionsOf(config));
    guardPackets(connection);
    reportSecured(connection, config.server.dialer);
    const session = new MysqlSession(config, connection);
    const onAbort = () => session.destroy();
    deadline.signal.addEventListener("abort", onAbort, { once: true });
    try {
      const connected = new Promise<void>((resolve, reject) => {
        connection.once("connect", () => resolve());
        connection.once("error", reject);
      });
      await Promise.race([connected, session.#cut.promise]);
      session.#watchRows();
      const [row = []] = await session.run("SELECT VERSION(), @@SESSION.sql_mode");
      session.serverVersion = String(row[0]);
      session.#sqlMode = harmlessModes(String(row[1]));
      session.#sortDefaults = toSortDefaults(
        await session.run("SHOW SESSION VARIABLES WHERE Variable_name IN ('max_sort_length', 'sort_buffer_size')"),
      );
      return session;
    } catch (error) {
      session.destroy();
      throw deadline.signal.aborted ? deadline.reason() : toConnectFailure(error, [config.password]);
    } finally {
      deadline.signal.removeEventListener("abort", onAbort);
    }
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get isMariaDb(): boolean {
    return /mariadb/i.test(this.serverVersion);
  }

  /**
   * Sets the session up for statements and their guard, with the server's time limit.
   * @param orderBytes minimum bytes of a value that ORDER BY compares; 0 for the server's setting
   */
  async prepare(readOnly: boolean, timeoutMs: number, orderBytes = 0): Promise<void> {
    const wait = `net_write_timeout = ${READER_PAUSE_S}`;
    const limit = this.isMariaDb ? `max_statement_time = ${timeoutMs / 1000}` : `max_execution_time = ${timeoutMs}`;
    const sort = this.#sortSettings(orderBytes);
    await this.run(`SET NAMES utf8mb4, time_zone = '+00:00', sql_mode = '${this.#sqlMode}', ${limit}, ${wait}${sort}`);
    if (readOnly) await this.run("START TRANSACTION READ ONLY");
  }

  #sortSettings(orderBytes: number): string {
    if (this.#sortDefaults === null || this.#sortDefaults.lengthBytes >= orderBytes) return "";
    const bufferBytes = Math.max(this.#sortDefaults.bufferBytes, SORT_BUFFER_BYTES);
    return `, max_sort_length = ${orderBytes}, sort_buffer_size = ${bufferBytes}`;
  }

  /**
   * Sets the session up for a load, in strict mode: nothing is cut, rounded or made up without an error. Starts its
   * transaction.
   */
  async prepareLoad(timeoutMs: number): Promise<void> {
    await this.prepare(false, timeoutMs);
    await this.run("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO,ERROR_FOR_DIVISION_BY_ZERO'");
    await this.run("START TRANSACTION READ WRITE");
  }

  /**
   * Returns whether a query has a FLOAT among its columns. The server returns six digits of it for a plain query, and
   * the stored value for a prepared one. False for a query that cannot be prepared.
   */
  async hasFloat(text: string): Promise<boolean> {
    const command = { sql: text, rowsAsArray: true };
    const described = new Promise<boolean>((resolve) => {
      this.#connection.prepare(command as unknown as string, (error, statement) => {
        const { columns = [] } = (error ? {} : statement) as { columns?: { columnType: number }[] };
        resolve(columns.some(({ columnType }) => columnType === FLOAT));
      });
    });
    const hasFloat = await Promise.race([described, this.#cut.promise]);
    if (!hasFloat) this.#connection.unprepare(command as unknown as string);
    return hasFloat;
  }

  /** Starts a statement. With values it is a prepared one, to which they are bound. */
  start(text: string, values: readonly unknown[], options: RowReaderOptions & { isPrepared?: boolean }): RowReader {
    const isPrepared = values.length > 0 || options.isPrepared === true;
    const command = { sql: text, rowsAsArray: true, typeCast: isPrepared ? castOfPrepared : castOfPlain };
    const reader = new RowReader(this.#connection, options);
    this.#reader = reader;
    this.#rowBytesMax = options.rowBytesMax;
    reader.listen(
      isPrepared
        ? this.#connection.execute({ ...command, values: values as string[] })
        : this.#connection.query(command),
    );
    return reader;
  }

  /** Runs a driver statement. */
  run(text: string, values: readonly string[] = []): Promise<unknown[][]> {
    const answer = new Promise<unknown[][]>((resolve, reject) => {
      const done = (error: unknown, rows: unknown) => (error ? reject(error) : resolve(rows as unknown[][]));
      if (values.length > 0) this.#connection.execute({ sql: text, rowsAsArray: true, values: [...values] }, done);
      else this.#connection.query({ sql: text, rowsAsArray: true, typeCast: castOfPlain }, done);
    });
    return Promise.race([answer, this.#cut.promise]);
  }

  /** Runs a driver statement. @returns the number of rows that it matched */
  count(text: string, values: readonly (string | number | Buffer | null)[]): Promise<number> {
    const answer = new Promise<number>((resolve, reject) => {
      const done = (error: unknown, result: unknown) =>
        error ? reject(error) : resolve(matchedRows(result as OkPacket));
      if (values.length > 0) this.#connection.execute({ sql: text, values: [...values] as string[] }, done);
      else this.#connection.query({ sql: text }, done);
    });
    return Promise.race([answer, this.#cut.promise]);
  }

  /**
   * Waits for the end of the last statement and reads the transaction status, which comes with every answer. DO starts
   * no transaction.
   */
  async whenReady(): Promise<void> {
    try {
      const answer = await this.run("DO 0");
      const { serverStatus = 0 } = answer as unknown as { serverStatus?: number };
      this.isInTransaction = (serverStatus & STATUS_IN_TRANSACTION) !== 0;
    } catch {
      this.destroy();
    }
  }

  /** Sets the isolation level of the next transactions. @param level in the server's words; null for its default */
  async isolate(level: string | null): Promise<void> {
    if (level !== null) await this.run(`SET SESSION TRANSACTION ISOLATION LEVEL ${level}`);
  }

  /** Rolls back and clears all session state that the statement left. */
  reset(): Promise<void> {
    this.#reader = null;
    this.#rowBytesMax = Number.POSITIVE_INFINITY;
    const answer = new Promise<void>((resolve, reject) => {
      this.#connection.reset((error) => (error ? reject(error) : resolve()));
    });
    return Promise.race([answer, this.#cut.promise]);
  }

  /**
   * Kills the session and its statement, by a second session through the same route: a block may catch the end of its
   * statement as an error, and continue. Kills only the statement where `keepsTransaction`. Never throws.
   */
  async cancel(): Promise<void> {
    const { threadId } = this.#connection;
    if (threadId === null || threadId === undefined || !this.#isAlive) return;
    const giveUp = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
    try {
      const session = await MysqlSession.open(this.#config, giveUp);
      await Promise.race([
        session.run(`KILL ${this.keepsTransaction ? "QUERY " : ""}${Number(threadId)}`),
        sleep(CANCEL_TIMEOUT_MS),
      ]).catch(() => {});
      session.destroy();
    } catch {
      // The server is gone: then nothing runs, or its time limit ends it.
    }
  }

  setIdle(isIdle: boolean): void {
    const { stream } = this.#connection;
    if (isIdle) stream.unref?.();
    else stream.ref?.();
  }

  destroy(): void {
    this.#isAlive = false;
    this.#cut.reject(connectionLost());
    this.#connection.destroy();
    this.#connection.stream.destroy();
  }

  /** Starts at the end of the sign-in, between two packets. */
  #watchRows(): void {
    const lengths = new PacketLengths();
    this.#connection.stream.on("data", (chunk: Buffer) => {
      if (lengths.push(chunk) <= this.#rowBytesMax) return;
      this.#reader?.oversize();
      this.destroy();
    });
  }
}

/** @param rows names and values */
function toSortDefaults(rows: readonly unknown[][]): { lengthBytes: number; bufferBytes: number } | null {
  const values = new Map(rows.map(([name, value]) => [String(name).toLowerCase(), Number(value)]));
  const lengthBytes = values.get("max_sort_length");
  const bufferBytes = values.get("sort_buffer_size");
  return lengthBytes === undefined || bufferBytes === undefined ? null : { lengthBytes, bufferBytes };
}

/** Returns the matched rows of an UPDATE. The server counts changed rows, and reports matched ones as text. */
function matchedRows({ affectedRows, info }: OkPacket): number {
  return Number(/^Rows matched: (\d+)/.exec(info ?? "")?.[1] ?? affectedRows ?? 0);
}

type Cell = { type: string; buffer(): Buffer | null; string(): string | null };

/** Called for each cell: types that the library would interpret are returned raw. */
function castOfPrepared(cell: Cell, next: () => unknown): unknown {
  return AS_BYTES.has(cell.type) ? cell.buffer() : next();
}

/**
 * Called for each cell of a plain query, where numbers are texts. The library parses such a text for its announced
 * length, up to 2^64 digits, past the end of the message (T47); a text that it treats as one ends with the message.
 */
function castOfPlain(cell: Cell, next: () => unknown): unknown {
  if (!AS_DIGITS.has(cell.type)) return castOfPrepared(cell, next);
  const digits = cell.string();
  if (digits === null) return null;
  const value = Number(digits);
  return cell.type === "LONGLONG" && !Number.isSafeInteger(value) ? digits : value;
}

/** Reports when the connection is encrypted; the library offers no event for it. */
function reportSecured(connection: Connection, dialer: Dialer): void {
  const inside = connection as Connection & { startTLS(onSecure: (error?: Error) => void): void };
  const start = inside.startTLS.bind(inside);
  inside.startTLS = (onSecure) =>
    start((error) => {
      if (!error) dialer.secured?.();
      onSecure(error);
    });
}

function optionsOf(config: OnServer<NetworkConfig>): ConnectionOptions {
  const { host, port, user, password, database, ssl, server } = config;
  return {
    host,
    port,
    user,
    password,
    ...(database !== "" && { database }),
    stream: () => {
      const socket = server.dialer.socket();
      // The name that a certificate is checked against when the host is an IP address.
      (socket as unknown as { _host: string })._host = host;
      socket.setNoDelay(true);
      return socket.connect({ host, port });
    },
    ...(ssl !== "disable" && {
      ssl: { rejectUnauthorized: ssl === "verify-full", verifyIdentity: ssl === "verify-full" },
    }),
    // No local file is ever read for a server (T41), and one text is one statement. An UPDATE counts changed rows, as
    // in the servers' command-line clients, not matched ones. OUT parameters come as a separate result.
    flags: ["-LOCAL_FILES", "-MULTI_STATEMENTS", "-FOUND_ROWS", "PS_MULTI_RESULTS"],
    // A server that requests one anyway is disconnected.
    infileStreamFactory: () => {
      throw new AppError("source_unreachable", "The server requested a local file. The connection was closed.");
    },
    multipleStatements: false,
    maxPreparedStatements: PREPARED_MAX,
    charset: "utf8mb4",
    connectTimeout: CONNECT_TIMEOUT_MS,
    timezone: "Z",
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    jsonStrings: true,
    // Without this, row parsers are compiled from the server's description of its columns.
    disableEval: true,
  };
}
