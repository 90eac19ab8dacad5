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
import type { CopyIn } from "./copy-in";
import { toConnectFailure } from "./failures";
import { GuardedConnection } from "./guarded-connection";
import { Portal, type PortalOptions } from "./portal";
import { BEGIN_READING, pinned } from "./session-settings";

// Internals of the library's client, which its types omit.
type ClientInside = { processID: number | null; secretKey: number | Buffer | null };
type CancelLine = { cancel(processId: number, secretKey: number | Buffer): void; requestSsl(): void };

const hasNoTls = (cause: unknown) => cause instanceof Error && /does not support SSL/.test(cause.message);

/** Time limit of driver queries, in ms: the table tree of a large database takes seconds. */
const OWN_READING_TIMEOUT_MS = 60_000;

/** Removes every effect of a query before the next one (T50): changes, settings, locks, prepared statements. */
export const CLEAN_UP = [{ text: "ROLLBACK" }, { text: "DISCARD ALL" }] as const;

/** One session with the server, on a socket of the egress proxy. */
export class PostgresSession implements PooledSession {
  readonly #config: OnServer<NetworkConfig>;
  readonly #client: Client;
  readonly #line: GuardedConnection;
  #isAlive = true;
  /** The last statement, if it cleans up after itself. */
  #portal: Portal | null = null;
  serverVersion: string | null = null;

  private constructor(config: OnServer<NetworkConfig>, client: Client, line: GuardedConnection) {
    this.#config = config;
    this.#client = client;
    this.#line = line;
    const die = () => {
      this.#isAlive = false;
    };
    client.on("error", die);
    client.on("end", die);
  }

  /** Opens a session. @throws AppError `source_unreachable`, `timeout`, `address_refused`; the signal's reason */
  static open(config: OnServer<NetworkConfig>, signal: AbortSignal): Promise<PostgresSession> {
    return preferringTls(config, (given) => PostgresSession.#open(given, signal), hasNoTls);
  }

  static async #open(config: OnServer<NetworkConfig>, signal: AbortSignal): Promise<PostgresSession> {
    const deadline = startDeadline(CONNECT_TIMEOUT_MS, signal);
    const line = new GuardedConnection(config);
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
    const session = new PostgresSession(config, client, line);
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
    const portal = new Portal(options);
    this.#portal = portal;
    this.#line.messageBytesMax = rowBytesMax;
    this.#line.onOversize = () => portal.oversize();
    this.#client.query(portal);
    return portal;
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

  copyIn(copy: CopyIn): Promise<void> {
    this.#client.query(copy);
    return copy.done;
  }

  /** Runs a driver query: its names are those of pg_catalog, regardless of the role's schemas and rights. */
  async read(text: string, values: readonly unknown[] = []): Promise<unknown[][]> {
    await this.run(BEGIN_READING);
    let rows: unknown[][];
    try {
      await this.run(pinned(OWN_READING_TIMEOUT_MS, "catalog"));
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
    this.#portal = null;
    this.#line.messageBytesMax = Number.POSITIVE_INFINITY;
    this.#line.onOversize = null;
    await portal?.over.catch(() => {});
    if (portal?.isCleaned) return;
    for (const { text } of CLEAN_UP) await this.#client.query(text);
  }

  /**
   * Asks the server to cancel the running statement, by a second connection through the same route. The protocol's
   * cancel request does the same as pg_cancel_backend, and works when all slots of the server are taken. Never throws.
   */
  async cancel(): Promise<void> {
    const { processID, secretKey } = this.#client as unknown as ClientInside;
    if (processID === null || secretKey === null || !this.#isAlive) return;
    const line = new GuardedConnection(this.#config);
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
    // A Terminate message where the connection is free, a cut where it is not.
    this.#client.end().catch(() => {});
    this.#line.stream.destroy();
  }
}
