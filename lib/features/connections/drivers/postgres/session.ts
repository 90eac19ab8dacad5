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
import { GuardedLine } from "./guarded-line";
import { BEGIN_READING, pinned } from "./pins";
import { Portal, type PortalOptions } from "./portal";

// What the library's client knows but its types leave out.
type ClientInside = { processID: number | null; secretKey: number | Buffer | null };
type CancelLine = { cancel(processId: number, secretKey: number | Buffer): void; requestSsl(): void };

const hasNoTls = (cause: unknown) => cause instanceof Error && /does not support SSL/.test(cause.message);

/** The whole tree of tables of a large database is read in seconds. */
const OWN_READING_TIMEOUT_MS = 60_000;

/** What leaves nothing of one query to the next (T50): no change, no setting, no lock, no prepared statement. */
export const CLEAN_UP = [{ text: "ROLLBACK" }, { text: "DISCARD ALL" }] as const;

/** One session with the server, on a socket of the door. */
export class PostgresSession implements PooledSession {
  readonly #config: OnServer<NetworkConfig>;
  readonly #client: Client;
  readonly #line: GuardedLine;
  #isAlive = true;
  /** What ran last, when it cleans up behind itself. */
  #portal: Portal | null = null;
  serverVersion: string | null = null;

  private constructor(config: OnServer<NetworkConfig>, client: Client, line: GuardedLine) {
    this.#config = config;
    this.#client = client;
    this.#line = line;
    const die = () => {
      this.#isAlive = false;
    };
    client.on("error", die);
    client.on("end", die);
  }

  /** @throws AppError `source_unreachable`, `timeout`, `address_refused`; the signal's reason */
  static open(config: OnServer<NetworkConfig>, signal: AbortSignal): Promise<PostgresSession> {
    return preferringTls(config, (given) => PostgresSession.#open(given, signal), hasNoTls);
  }

  static async #open(config: OnServer<NetworkConfig>, signal: AbortSignal): Promise<PostgresSession> {
    const deadline = startDeadline(CONNECT_TIMEOUT_MS, signal);
    const line = new GuardedLine(config);
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
      // Given even when empty: the library would look for one in the environment and in files.
      password: config.password,
      ssl: tlsChoice(config.ssl, config.host) ?? false,
      enableChannelBinding: config.options.channel_binding !== undefined,
    } as ClientConfig);
    const session = new PostgresSession(config, client, line);
    const onAbort = () => line.stream.destroy(new Error("The deadline has passed."));
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

  /** A statement as it is. */
  async run(text: string, values: readonly unknown[] = []): Promise<unknown[][]> {
    const result = await this.#client.query<unknown[]>({ text, values: [...values], rowMode: "array" });
    return result.rows;
  }

  /** A statement as it is. @returns how many rows it has changed */
  async count(text: string, values: readonly unknown[] = []): Promise<number> {
    const result = await this.#client.query({ text, values: [...values] });
    return result.rowCount ?? 0;
  }

  copyIn(copy: CopyIn): Promise<void> {
    this.#client.query(copy);
    return copy.done;
  }

  /** A reading of our own: its names are those of pg_catalog, whatever schemas and rights the role has. */
  async read(text: string, values: readonly unknown[] = []): Promise<unknown[][]> {
    await this.run(BEGIN_READING);
    let rows: unknown[][];
    try {
      await this.run(pinned(OWN_READING_TIMEOUT_MS, "catalog"));
      rows = await this.run(text, values);
    } catch (error) {
      // What went wrong first is told, and not that a line which is gone takes no ROLLBACK either.
      await this.run("ROLLBACK").catch(() => {});
      throw error;
    }
    await this.run("ROLLBACK");
    return rows;
  }

  /** Makes the session as good as new, so that nothing of one query is there for the next (T50). */
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
   * Asks the server to cancel what the session runs, by a second connection through the same door. The protocol's own
   * request does what pg_cancel_backend does, and works when all slots of the server are taken. Never throws.
   */
  async cancel(): Promise<void> {
    const { processID, secretKey } = this.#client as unknown as ClientInside;
    if (processID === null || secretKey === null || !this.#isAlive) return;
    const line = new GuardedLine(this.#config);
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
    // A goodbye where the line is free, the cut where it is not.
    this.#client.end().catch(() => {});
    this.#line.stream.destroy();
  }
}
