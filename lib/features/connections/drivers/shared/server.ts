import "server-only";
import type { Socket } from "node:net";
import type { Batch } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import { type Dialer, directDialer } from "@/lib/platform/net/dialer";
import { checkForwarded } from "@/lib/platform/net/ssh/judge-forwarded";
import { checkPrivateKey } from "@/lib/platform/net/ssh/private-key";
import { type SshTarget, SshTunnel } from "@/lib/platform/net/ssh/tunnel";
import type { DataSource, Driver, ExtractStream, Load, ResultStream, TestProgress } from "../../data-source";
import type { TestStep } from "../../schema";
import { checkAddress } from "./check-address";
import { invalidField } from "./config";
import { isStoppedAtLimit } from "./failures";
import { readServerOptions, SERVER_REFUSALS, type ServerOptions, serverFormFields } from "./server-options";

/** The server's own limit is the guard; ours stops what it does not know of, a little later. */
const GRACE_MS = 1000;

/** What a source gets beside its own config. */
export type ServerSide = Pick<ServerOptions, "schemas" | "statementTimeoutMs"> & {
  /** Makes every connection to the server. */
  dialer: Dialer;
  /** Workspaces take turns where long statements are read, however many connections they have. */
  workspaceId: string;
};

/** A config of a driver with what all of them share. */
export type OnServer<C> = C & { server: ServerSide };

type Address = { host: string; port: number };

type ServerDriver<C> = Omit<Driver, "check" | "open"> & {
  /** What the names of `schemas` are called. */
  schemasLabel: string;
  parse(config: Record<string, unknown>): C;
  /** What is judged before it is stored; none where only the server's name service knows. */
  addresses(config: C): readonly Address[];
  /** Whether its lines are encrypted; left out where a library makes them by itself, and nobody hears when they are. */
  isEncrypted?(config: C): boolean;
  openSource(config: OnServer<C>, readOnly: boolean): DataSource;
};

/**
 * A driver whose databases are servers in the network: with the settings that all of them have, by one mechanism. The
 * source makes its connections by `server.dialer`, which is the door or a tunnel through it that ends with the source.
 */
export function serverDriver<C extends object>(own: ServerDriver<C>): Driver {
  const { schemasLabel, parse, addresses, isEncrypted, openSource, ...declaration } = own;
  const read = (config: Record<string, unknown>) => {
    const { own, options } = readServerOptions(config);
    return { config: parse(own), options };
  };
  return {
    ...declaration,
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
      const { ssh, schemas, statementTimeoutMs } = options;
      const tunnel = ssh ? new SshTunnel(ssh) : null;
      const dialer = new TimedDialer(tunnel ?? directDialer("database"));
      const server = { dialer, schemas, statementTimeoutMs, workspaceId: context.workspaceId };
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

/** The smaller of a caller's limit and the connection's own. */
export function withinLimit({ statementTimeoutMs }: ServerSide, timeoutMs: number): number {
  return Math.min(timeoutMs, statementTimeoutMs ?? timeoutMs);
}

/** What a person is told instead of an error. */
type Tell = (error: unknown) => unknown;
type Limits = {
  statementTimeoutMs: number | null;
  tunnel: SshTunnel | null;
  dialer: TimedDialer;
  isEncrypted: boolean;
};

/** When a connection has come how far; null before that. */
type LineTimes = { dialedAt: number | null; reachedAt: number | null; securedAt: number | null };

/** Knows how far the first connection has come that is made while somebody watches. */
class TimedDialer implements Dialer {
  readonly isTunnel: boolean;
  #times = noTimes();
  readonly #dialer: Dialer;

  constructor(dialer: Dialer) {
    this.#dialer = dialer;
    this.isTunnel = dialer.isTunnel;
  }

  /** What is open already was reached before, and says nothing. */
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
  /** When the tunnel stood, where there is one; null before that. */
  thereAt: number | null;
  isEncrypted: boolean;
  /** When it has succeeded; null when it has failed. */
  endedAt: number | null;
};

function toProgress(times: TestTimes): TestProgress {
  const { startedAt, hasTunnel, thereAt, dialedAt, reachedAt, securedAt, isEncrypted, endedAt } = times;
  // Where a library makes its lines by itself, reaching the server and signing in are one.
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

/** The source with a word for the limit that stopped it, a guard behind the server's own, and the end of its tunnel. */
function withLimits(source: DataSource, limits: Limits): DataSource {
  const { statementTimeoutMs: limit, tunnel, dialer, isEncrypted } = limits;
  const { query, extract, load, ddl, schemas, defaultSchema } = source;
  const tell: Tell = (error) => toldOfTunnel(limit === null ? error : toldIfStopped(limit, error), tunnel);
  const told = async <T>(signal: AbortSignal, words: Tell, work: () => Promise<T>): Promise<T> => {
    try {
      await tunnel?.ready(signal);
      return await work();
    } catch (error) {
      throw signal.aborted ? error : words(error);
    }
  };
  const bounded = <T>(signal: AbortSignal, work: (inner: AbortSignal) => Promise<T>): Promise<T> => {
    const patience = new Patience(limit, signal);
    return told(signal, tell, () => patience.wait(() => work(patience.signal)));
  };
  return {
    ...(query && {
      query: (statement, options) => {
        // Where the caller's own limit is the smaller one, the words are the caller's.
        const isOurs = limit !== null && limit < options.timeoutMs;
        const patience = new Patience(isOurs ? limit : null, options.signal);
        const tellOurs: Tell = isOurs ? tell : (error) => toldOfTunnel(error, tunnel);
        return told(options.signal, tellOurs, async () => {
          const inner = { ...options, signal: patience.signal };
          const result = await patience.wait(() => query.call(source, statement, inner));
          return { ...result, batches: untilStopped(result, patience, tellOurs) };
        });
      },
    }),
    ...(extract && {
      extract: (request) =>
        told(request.signal, tell, async () => toldAlong(await extract.call(source, request), tell)),
    }),
    ...(load && {
      load: (request) =>
        told(request.signal, tell, async () => {
          const begun = await load.call(source, request);
          return toldLoad(begun, (work) => told(request.signal, tell, work));
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

/** Counts the time in which somebody waits for the database, and no other: rows may wait for whoever reads them. */
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

async function* untilStopped({ batches }: ResultStream, patience: Patience, tell: Tell): AsyncGenerator<Batch, void> {
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
    throw tell(error);
  } finally {
    if (!isOver) await iterator.return?.();
  }
}

function toldAlong(stream: ExtractStream, tell: Tell): ExtractStream {
  const { fields, batches } = stream;
  return {
    fields,
    batches: (async function* () {
      try {
        yield* batches;
      } catch (error) {
        throw tell(error);
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

/** Libraries that dial by themselves say only that a server is not reached, and the tunnel knows why. */
function toldOfTunnel(error: unknown, tunnel: SshTunnel | null): unknown {
  if (!tunnel?.failure || !(error instanceof AppError) || error.kind !== "source_unreachable") return error;
  return tunnel.failure;
}

function toldIfStopped(limitMs: number, error: unknown): unknown {
  return isStoppedAtLimit(error) ? toldOfLimit(limitMs, error) : error;
}

/** @param limitMs of the connection */
function toldOfLimit(limitMs: number, cause?: unknown): AppError {
  const limit = limitMs % 1000 === 0 ? `${limitMs / 1000} s` : `${limitMs} ms`;
  return new AppError(
    "timeout",
    `This connection stops statements after ${limit}, and this one took longer. Ask for less, or change "Stop a statement after" in the connection's settings.`,
    { details: { reason: "connection_limit", limitMs }, cause },
  );
}
