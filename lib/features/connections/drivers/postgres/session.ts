import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientConfig } from "pg";
import { startDeadline } from "@/lib/platform/net/deadline";
import type { NetworkConfig } from "../shared/config";
import { tlsChoice } from "../shared/failures";
import { CANCEL_TIMEOUT_MS, CONNECT_TIMEOUT_MS } from "../shared/limits";
import { preferringTls } from "../shared/preferring-tls";
import type { OnServer } from "../shared/server";
import type { PooledSession } from "../shared/session-pool";
import { copyIn } from "./copy-in";
import { toConnectFailure } from "./failures";
import { GuardedConnection, SESSION_SETTINGS } from "./guarded-connection";
import { Portal, type PortalOptions, type SideStatement } from "./portal";
import { BEGIN_READING, pinned } from "./session-settings";

// Internals of the library's client, which its types omit.
type ClientInside = { processID: number | null; secretKey: number | Buffer | null };
type CancelLine = { cancel(processId: number, secretKey: number | Buffer): void; requestSsl(): void };

const hasNoTls = (cause: unknown) => cause instanceof Error && /does not support SSL/.test(cause.message);

/** Time limit of driver queries, in ms: the table tree of a large database takes seconds. */
const OWN_READING_TIMEOUT_MS = 60_000;

/** Removes every effect of a query before the next one (T50): changes, settings, locks, prepared statements. */
export const CLEAN_UP = [{ text: "ROLLBACK" }, { text: "DISCARD ALL" }] as const;
/**
 * The same for a query that can have called nothing but PostgreSQL's own reading functions, whose only effects end with
 * the transaction: what is prepared stays.
 */
export const LIGHT_CLEAN_UP = [{ text: "ROLLBACK" }, { text: "RESET ALL" }] as const;

/** The statements and settings in which servers with PostgreSQL's protocol differ. */
export type SessionRules = {
  /** Settings of the startup message. */
  settings: Readonly<Record<string, string>>;
  /** Texts that start the transaction of a driver query, each in a round trip. */
  beginReading: readonly string[];
  /** Removes every effect of a query before the next one (T50). */
  cleanUp: readonly SideStatement[];
};

const POSTGRES_RULES: SessionRules = {
  settings: SESSION_SETTINGS,
  // The names of a driver query are those of pg_catalog, regardless of the role's schemas and rights.
  beginReading: [BEGIN_READING, pinned(OWN_READING_TIMEOUT_MS, "catalog")],
  cleanUp: CLEAN_UP,
};

/** One session with the server, on a socket of the egress proxy. */
export class PostgresSession implements PooledSession {
  readonly #config: OnServer<NetworkConfig>;
  readonly #rules: SessionRules;
  readonly #client: Client;
  readonly #line: GuardedConnection;
  #isAlive = true;
  #isReusable = true;
  #portal: Portal | null = null;
  /** Names of the statements that the last one prepared, if its clean-up keeps them. */
  #preparing: string[] | null = null;
  /** Names of the statements that the server keeps prepared. */
  readonly #prepared = new Set<string>();
  /** Whether each transaction runs in the server process of this connection; null until the first clean-up. */
  #isDirect: boolean | null = null;
  serverVersion: string | null = null;
  /** The server's last transaction status: idle, in a transaction, or in a failed one. */
  transactionStatus: "I" | "T" | "E" = "I";
  /** Resolves when the server is ready after the last `start`. */
  #ready = Promise.withResolvers<void>();

  private constructor(config: OnServer<NetworkConfig>, rules: SessionRules, client: Client, line: GuardedConnection) {
    this.#config = config;
    this.#rules = rules;
    this.#client = client;
    this.#line = line;
    const die = () => {
      this.#isAlive = false;
      this.#ready.resolve();
    };
    client.on("error", die);
    client.on("end", die);
    line.on("readyForQuery", ({ status }: { status: "I" | "T" | "E" }) => {
      this.transactionStatus = status;
      this.#ready.resolve();
    });
  }

  /** Opens a session. @throws AppError `source_unreachable`, `timeout`, `address_refused`; the signal's reason */
  static open(
    config: OnServer<NetworkConfig>,
    signal: AbortSignal,
    rules: SessionRules = POSTGRES_RULES,
  ): Promise<PostgresSession> {
    return preferringTls(config, (given) => PostgresSession.#open(given, signal, rules), hasNoTls);
  }

  static async #open(
    config: OnServer<NetworkConfig>,
    signal: AbortSignal,
    rules: SessionRules,
  ): Promise<PostgresSession> {
    const deadline = startDeadline(CONNECT_TIMEOUT_MS, signal);
    const line = new GuardedConnection(config, rules.settings);
    let version: string | null = null;
    line.on("parameterStatus", (status: { parameterName: string; parameterValue: string }) => {
      if (status.parameterName === "server_version") version = status.parameterValue;
    });
    const client = new Client({
      connection: line,
      host: config.host,
      port: config.port,
      user: config.user,
      database: config.database,
      // Set even when empty: otherwise the library looks in the environment and in files.
      password: config.password,
      ssl: tlsChoice(config.ssl, config.host) ?? false,
      enableChannelBinding: config.options.channel_binding !== undefined,
    } as ClientConfig);
    const session = new PostgresSession(config, rules, client, line);
    const onAbort = () => line.stream.destroy(new Error("Timed out."));
    deadline.signal.addEventListener("abort", onAbort, { once: true });
    try {
      deadline.signal.throwIfAborted();
      await client.connect();
      session.serverVersion = version;
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

  /** @param rowBytesMax a longer row ends the session */
  start(options: PortalOptions, rowBytesMax: number): Portal {
    const preamble = options.preamble.map((statement) => this.#named(statement));
    const portal = new Portal({ ...options, preamble });
    this.#portal = portal;
    this.#ready = Promise.withResolvers();
    this.#preparing =
      options.epilogue === LIGHT_CLEAN_UP ? preamble.flatMap(({ name }) => (name === undefined ? [] : [name])) : null;
    this.#line.messageBytesMax = rowBytesMax;
    this.#line.onOversize = () => portal.oversize();
    this.#client.query(portal);
    return portal;
  }

  /** The statement of the last `start`; null after a reset. */
  get portal(): Portal | null {
    return this.#portal;
  }

  /** Resolves when the server is ready for the next statement, or the connection is lost. */
  whenReady(): Promise<void> {
    return this.#ready.promise;
  }

  /** Runs a statement directly. */
  async run(text: string, values: readonly unknown[] = []): Promise<unknown[][]> {
    const result = await this.#client.query<unknown[]>({ text, values: [...values], rowMode: "array" });
    return result.rows;
  }

  /** Runs a statement directly. @returns the number of rows that it changed */
  async count(text: string, values: readonly unknown[] = []): Promise<number> {
    const result = await this.#client.query({ text, values: [...values] });
    return result.rowCount ?? 0;
  }

  /** Sends rows to a COPY statement. @param chunks rows in COPY's text format */
  copyIn(text: string, chunks: Iterable<Buffer>): Promise<void> {
    return copyIn(this.#client, text, chunks);
  }

  /** Runs a driver query, in a separate read-only transaction. */
  async read(text: string, values: readonly unknown[] = []): Promise<unknown[][]> {
    const [begin = "BEGIN", ...settings] = this.#rules.beginReading;
    await this.run(begin);
    let rows: unknown[][];
    try {
      for (const setting of settings) await this.run(setting);
      rows = await this.run(text, values);
    } catch (error) {
      // The first error is reported, not the failing ROLLBACK of a lost connection.
      await this.run("ROLLBACK").catch(() => {});
      throw error;
    }
    await this.run("ROLLBACK");
    return rows;
  }

  /** Cleans the session, so that nothing of one query reaches the next (T50). */
  async reset(): Promise<void> {
    const portal = this.#portal;
    const preparing = this.#preparing;
    this.#portal = null;
    this.#preparing = null;
    this.#line.messageBytesMax = Number.POSITIVE_INFINITY;
    this.#line.onOversize = null;
    await portal?.over.catch(() => {});
    if (!this.#isReusable) throw new Error("The session keeps effects of its statement.");
    if (portal?.isCleaned && preparing) {
      for (const name of preparing) this.#prepared.add(name);
      this.#isDirect ??= await this.#checkDirect();
      return;
    }
    this.#prepared.clear();
    if (portal?.isCleaned) return;
    for (const { text } of this.#rules.cleanUp) await this.#client.query(text);
  }

  /** Prepares nothing behind a pooler, where the next transaction may run in another server process. */
  #named({ name, ...statement }: SideStatement): SideStatement {
    if (name === undefined || this.#isDirect !== true) return statement;
    return { ...statement, name, isPrepared: this.#prepared.has(name) };
  }

  /** Poolers invent the number of the process that cancels. */
  async #checkDirect(): Promise<boolean> {
    const [row] = await this.run("select pg_catalog.pg_backend_pid()").catch(() => []);
    return row !== undefined && row[0] === (this.#client as unknown as ClientInside).processID;
  }

  /** Ends the session after its statement, for servers that cannot remove the effects of one. */
  retire(): void {
    this.#isReusable = false;
  }

  /**
   * Asks the server to cancel the running statement, by a second connection through the same route. The protocol's
   * cancel request does the same as pg_cancel_backend, and works when all slots of the server are taken. Never throws.
   */
  async cancel(): Promise<void> {
    const { processID, secretKey } = this.#client as unknown as ClientInside;
    if (processID === null || secretKey === null || !this.#isAlive) return;
    const line = new GuardedConnection(this.#config, this.#rules.settings);
    const ended = new Promise<void>((resolve) => {
      line.on("error", () => resolve());
      line.on("end", () => resolve());
    });
    const { ssl, host, port } = this.#config;
    const inside = line as unknown as CancelLine;
    const send = () => inside.cancel(processID, secretKey);
    if (ssl === "disable") line.on("connect", send);
    else {
      line.on("connect", () => inside.requestSsl());
      line.on("sslconnect", send);
    }
    line.connect(port, host);
    await Promise.race([ended, sleep(CANCEL_TIMEOUT_MS, undefined, { ref: false })]);
    line.stream.destroy();
  }

  setIdle(isIdle: boolean): void {
    if (isIdle) this.#line.unref();
    else this.#line.ref();
  }

  destroy(): void {
    this.#isAlive = false;
    this.#ready.resolve();
    // A Terminate message where the connection is free, a cut where it is not.
    this.#client.end().catch(() => {});
    this.#line.stream.destroy();
  }
}
