import "server-only";
import type { Socket } from "node:net";
import type { Batch } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import { type Dialer, directDialer } from "@/lib/platform/net/dialer";
import { checkForwarded } from "@/lib/platform/net/ssh/judge-forwarded";
import { checkPrivateKey } from "@/lib/platform/net/ssh/private-key";
import { type SshTarget, SshTunnel } from "@/lib/platform/net/ssh/tunnel";
import type {
  DataSource,
  Driver,
  ExtractStream,
  Load,
  QueryableSource,
  ResultStream,
  TestProgress,
} from "../../data-source";
import type { TestStep } from "../../schema";
import { checkAddress } from "./check-address";
import { invalidField } from "./config";
import { isStoppedAtLimit } from "./failures";
import {
  queriesMaxOf,
  readServerOptions,
  SERVER_REFUSALS,
  type ServerOptions,
  serverFormFields,
} from "./server-options";

/** Delay of our limit after the server's, in ms: it stops statements that the server does not know of. */
const GRACE_MS = 1000;

/** Settings that a source gets beside its config. */
export type ServerSide = Pick<ServerOptions, "schemas" | "statementTimeoutMs" | "queriesMax"> & {
  /** Makes every connection to the server. */
  dialer: Dialer;
  /** Workspaces share the threads for long statements fairly, however many connections they have. */
  workspaceId: string;
};

/** A driver's config with the shared server settings. */
export type OnServer<C> = C & { server: ServerSide };

type Address = { host: string; port: number };

type ServerDriver<C> = Omit<Driver, "check" | "open"> & {
  /** The label for the names of `schemas`. */
  schemasLabel: string;
  parse(config: Record<string, unknown>): C;
  /** Returns the addresses to check before a config is stored; none where only the server's name service knows them. */
  addresses(config: C): readonly Address[];
  /**
   * Returns whether its connections are encrypted. Absent where a library opens them and does not report encryption.
   */
  isEncrypted?(config: C): boolean;
  openSource(config: OnServer<C>, readOnly: boolean): DataSource;
};

/**
 * Creates a driver for databases on a network server, with the settings that all of them share. The source connects
 * through `server.dialer`, which is the egress proxy or a tunnel through it that closes with the source.
 */
export function serverDriver<C extends object>(own: ServerDriver<C>): Driver {
  const { schemasLabel, parse, addresses, isEncrypted, openSource, ...declaration } = own;
  const read = (config: Record<string, unknown>) => {
    const { own, options } = readServerOptions(config);
    return { config: parse(own), options };
  };
  return {
    ...declaration,
    queriesMax: queriesMaxOf,
    fields: [...declaration.fields, ...serverFormFields(schemasLabel)],
    refusals: { ...SERVER_REFUSALS, ...declaration.refusals },
    async check(context) {
      const { config, options } = read(context.config);
      if (options.ssh) await checkTunnel(options.ssh);
      for (const { host, port } of addresses(config)) {
        if (options.ssh) await checkForwarded({ host, port, tunnel: null });
        else await checkAddress(host, port);
      }
    },
    async open(context) {
      const { config, options } = read(context.config);
      const { ssh, schemas, statementTimeoutMs, queriesMax } = options;
      const tunnel = ssh ? new SshTunnel(ssh) : null;
      const dialer = new TimedDialer(tunnel ?? directDialer("database"));
      const server = { dialer, schemas, statementTimeoutMs, queriesMax, workspaceId: context.workspaceId };
      return withLimits(openSource({ ...config, server }, context.readOnly), {
        statementTimeoutMs,
        tunnel,
        dialer,
        isEncrypted: isEncrypted?.(config) ?? false,
      });
    },
  };
}

async function checkTunnel({ host, port, privateKey }: SshTarget): Promise<void> {
  try {
    await checkAddress(host, port);
  } catch (error) {
    throw error instanceof AppError && error.kind === "invalid_request"
      ? invalidField("ssh.host", error.message)
      : error;
  }
  if (privateKey === null) return;
  try {
    await checkPrivateKey(privateKey);
  } catch (error) {
    throw error instanceof AppError ? invalidField("ssh.privateKey", error.message) : error;
  }
}

/** Returns the smaller of a caller's limit and the connection's. */
export function withinLimit({ statementTimeoutMs }: ServerSide, timeoutMs: number): number {
  return Math.min(timeoutMs, statementTimeoutMs ?? timeoutMs);
}

/** Converts an error to the one that a person sees. */
type ConvertError = (error: unknown) => unknown;
type Limits = {
  statementTimeoutMs: number | null;
  tunnel: SshTunnel | null;
  dialer: TimedDialer;
  isEncrypted: boolean;
};

/** Times at which a connection reached each step; null before that. */
type LineTimes = { dialedAt: number | null; reachedAt: number | null; securedAt: number | null };

/** Records the steps of the first connection that is made while it is watched. */
class TimedDialer implements Dialer {
  readonly isTunnel: boolean;
  #times = noTimes();
  readonly #dialer: Dialer;

  constructor(dialer: Dialer) {
    this.#dialer = dialer;
    this.isTunnel = dialer.isTunnel;
  }

  /** Starts watching. Connections that are already open report nothing. */
  watch(): LineTimes {
    this.#times = noTimes();
    return this.#times;
  }

  socket(): Socket {
    const socket = this.#dialer.socket();
    const times = this.#times;
    times.dialedAt ??= performance.now();
    socket.once("connect", () => {
      times.reachedAt ??= performance.now();
    });
    return socket;
  }

  secured(): void {
    this.#times.securedAt ??= performance.now();
  }
}

function noTimes(): LineTimes {
  return { dialedAt: null, reachedAt: null, securedAt: null };
}

type TestTimes = LineTimes & {
  startedAt: number;
  hasTunnel: boolean;
  /** When the tunnel was established, where there is one; null before that. */
  thereAt: number | null;
  isEncrypted: boolean;
  /** When the test succeeded; null when it failed. */
  endedAt: number | null;
};

function toProgress(times: TestTimes): TestProgress {
  const { startedAt, hasTunnel, thereAt, dialedAt, reachedAt, securedAt, isEncrypted, endedAt } = times;
  // Where a library opens its connections, reaching the server and signing in are one step.
  const isOne = thereAt !== null && (dialedAt === null || (reachedAt === null && endedAt !== null));
  const all: { name: TestStep["name"]; at: number | null }[] = [];
  if (hasTunnel) all.push({ name: "tunnel", at: thereAt });
  if (isOne) all.push({ name: "connect", at: endedAt });
  else {
    all.push({ name: "reach", at: reachedAt });
    if (isEncrypted) all.push({ name: "tls", at: securedAt });
    all.push({ name: "sign_in", at: endedAt });
  }
  const steps: TestStep[] = [];
  let since = startedAt;
  for (const { name, at } of all) {
    if (at === null && endedAt === null) return { steps, failedStep: name };
    if (at === null) continue;
    steps.push({ name, ms: at - since });
    since = at;
  }
  return { steps, failedStep: null };
}

/**
 * Wraps a source: names the limit that stopped a statement, adds a guard behind the server's limit, and closes the
 * tunnel.
 */
function withLimits(source: DataSource, limits: Limits): DataSource {
  const { statementTimeoutMs: limit, tunnel, dialer, isEncrypted } = limits;
  const { query, openSession, planRowChanges, extract, load, ddl, schemas, defaultSchema } = source;
  const convert: ConvertError = (error) => toldOfTunnel(limit === null ? error : toldIfStopped(limit, error), tunnel);
  const told = async <T>(signal: AbortSignal, words: ConvertError, work: () => Promise<T>): Promise<T> => {
    try {
      await tunnel?.ready(signal);
      return await work();
    } catch (error) {
      throw signal.aborted ? error : words(error);
    }
  };
  const limited =
    (query: QueryableSource["query"]): QueryableSource["query"] =>
    (statement, options) => {
      // Where the caller's limit is the smaller one, the caller words the error.
      const isOurs = limit !== null && limit < options.timeoutMs;
      const patience = new Patience(isOurs ? limit : null, options.signal);
      const convertOurs: ConvertError = isOurs ? convert : (error) => toldOfTunnel(error, tunnel);
      return told(options.signal, convertOurs, async () => {
        const inner = { ...options, signal: patience.signal };
        const result = await patience.wait(() => query(statement, inner));
        return { ...result, batches: untilStopped(result, patience, convertOurs) };
      });
    };
  const bounded = <T>(signal: AbortSignal, work: (inner: AbortSignal) => Promise<T>): Promise<T> => {
    const patience = new Patience(limit, signal);
    return told(signal, convert, () => patience.wait(() => work(patience.signal)));
  };
  return {
    ...(query && { query: limited((statement, options) => query.call(source, statement, options)) }),
    ...(openSession && {
      openSession: (options) =>
        told(options.signal, convert, async () => {
          const session = await openSession.call(source, options);
          return {
            get state() {
              return session.state;
            },
            get isAlive() {
              return session.isAlive;
            },
            query: limited((statement, inner) => session.query(statement, inner)),
            settled: () => session.settled(),
            close: () => session.close(),
          };
        }),
    }),
    ...(planRowChanges && {
      planRowChanges: (entity, changes, options) =>
        told(options.signal, convert, async () => {
          const plan = await planRowChanges.call(source, entity, changes, options);
          return { ...plan, run: (inner) => told(inner.signal, convert, () => plan.run(inner)) };
        }),
    }),
    ...(extract && {
      extract: (request) =>
        told(request.signal, convert, async () => toldAlong(await extract.call(source, request), convert)),
    }),
    ...(source.loadsBytes && { loadsBytes: source.loadsBytes }),
    ...(load && {
      load: (request) =>
        told(request.signal, convert, async () => {
          const begun = await load.call(source, request);
          return toldLoad(begun, (work) => told(request.signal, convert, work));
        }),
    }),
    entities: (signal) => bounded(signal, (inner) => source.entities(inner)),
    ...(ddl && { ddl: (entity, signal) => bounded(signal, (inner) => ddl.call(source, entity, inner)) }),
    ...(schemas && { schemas: (signal) => bounded(signal, (inner) => schemas.call(source, inner)) }),
    ...(defaultSchema && {
      defaultSchema: (signal) => bounded(signal, (inner) => defaultSchema.call(source, inner)),
    }),
    test: async (signal, onProgress) => {
      const line = dialer.watch();
      const startedAt = performance.now();
      let thereAt: number | null = null;
      let endedAt: number | null = null;
      try {
        const facts = await bounded(signal, (inner) => {
          thereAt = performance.now();
          return source.test(inner);
        });
        endedAt = performance.now();
        return facts;
      } finally {
        onProgress?.(toProgress({ ...line, startedAt, hasTunnel: tunnel !== null, thereAt, isEncrypted, endedAt }));
      }
    },
    close: async () => {
      await source.close();
      await tunnel?.close();
    },
  };
}

/** Counts only the time spent waiting for the database: rows may wait for their reader. */
class Patience {
  readonly signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #limitMs: number | null;
  #leftMs: number;

  constructor(limitMs: number | null, caller: AbortSignal) {
    this.#limitMs = limitMs;
    this.#leftMs = (limitMs ?? 0) + GRACE_MS;
    this.signal = limitMs === null ? caller : AbortSignal.any([caller, this.#stop.signal]);
  }

  async wait<T>(work: () => Promise<T>): Promise<T> {
    const limitMs = this.#limitMs;
    if (limitMs === null) return work();
    const startedAt = performance.now();
    const timer = setTimeout(() => this.#stop.abort(toldOfLimit(limitMs)), this.#leftMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - startedAt));
    }
  }
}

async function* untilStopped(
  { batches }: ResultStream,
  patience: Patience,
  convert: ConvertError,
): AsyncGenerator<Batch, void> {
  const iterator = batches[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await patience.wait(() => iterator.next());
      if (done) {
        isOver = true;
        return;
      }
      yield value;
    }
  } catch (error) {
    isOver = true;
    throw convert(error);
  } finally {
    if (!isOver) await iterator.return?.();
  }
}

function toldAlong(stream: ExtractStream, convert: ConvertError): ExtractStream {
  const { fields, batches } = stream;
  return {
    fields,
    batches: (async function* () {
      try {
        yield* batches;
      } catch (error) {
        throw convert(error);
      }
    })(),
  };
}

function toldLoad(load: Load, told: <T>(work: () => Promise<T>) => Promise<T>): Load {
  return {
    get state() {
      return load.state;
    },
    guarantee: load.guarantee,
    write: (batch, options) => told(() => load.write(batch, options)),
    finish: () => told(() => load.finish()),
    abandon: () => load.abandon(),
  };
}

/** Adds the tunnel's error where a library that dials only reports an unreachable server. */
function toldOfTunnel(error: unknown, tunnel: SshTunnel | null): unknown {
  if (!tunnel?.failure || !(error instanceof AppError) || error.kind !== "source_unreachable") return error;
  return tunnel.failure;
}

function toldIfStopped(limitMs: number, error: unknown): unknown {
  return isStoppedAtLimit(error) ? toldOfLimit(limitMs, error) : error;
}

/** @param limitMs the connection's limit */
function toldOfLimit(limitMs: number, cause?: unknown): AppError {
  const limit = limitMs % 1000 === 0 ? `${limitMs / 1000} s` : `${limitMs} ms`;
  return new AppError(
    "timeout",
    `The statement timed out after ${limit}. Simplify it, or raise the statement timeout in the connection settings.`,
    { details: { reason: "connection_limit", limitMs }, cause },
  );
}
