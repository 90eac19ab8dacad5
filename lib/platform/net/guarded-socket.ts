import "server-only";
import { isIPv6, type LookupFunction, Socket, type SocketConstructorOpts } from "node:net";
import type { Purpose } from "./address";
import { addressRefused } from "./failures";
import { checkTarget, type JudgedTarget, type TargetRequest } from "./judge";
import { type EgressPolicy, systemPolicy } from "./policy";

/** Time until the next address of a name is tried in parallel, in ms (RFC 8305, with a margin for slow networks). */
const NEXT_ADDRESS_AFTER_MS = 500;
/** Idle time before TCP keep-alive starts, in ms. The strictest firewalls drop idle connections after a few minutes. */
const KEEP_ALIVE_AFTER_MS = 60_000;

/**
 * A socket that checks the target of `connect` and dials the checked addresses only. A second answer of the name
 * service therefore has no effect (T33), and literal addresses are checked too (T34). All outbound connections use it.
 * Refusals and failures arrive as its `error` event.
 */
export class GuardedSocket extends Socket {
  readonly #purpose: Purpose;
  readonly #policy: EgressPolicy;

  constructor(purpose: Purpose, policy: EgressPolicy = systemPolicy(), options: SocketConstructorOpts = {}) {
    super(options);
    this.#purpose = purpose;
    this.#policy = policy;
    // Applied on connect. Not every driver sets these on a stream that it is given.
    this.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_AFTER_MS);
  }

  /** Accepts the forms that drivers use: `(port, host?)` and `({host, port})`. Refuses socket files. */
  override connect(...given: unknown[]): this {
    const onConnect = given.at(-1);
    if (isListener(onConnect)) this.once("connect", onConnect);
    // As during Node's own look-up, so that writes wait instead of failing.
    (this as { connecting: boolean }).connecting = true;
    const endpoint = toEndpoint(given);
    if (endpoint) void this.#judgeAndDial(endpoint);
    else process.nextTick(() => this.#fail(addressRefused()));
    return this;
  }

  async #judgeAndDial(endpoint: { host: string; port: number }): Promise<void> {
    try {
      const target = await checkTarget({ purpose: this.#purpose, ...endpoint }, this.#policy);
      if (!this.destroyed) this.#dial(target);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #dial(target: JudgedTarget): void {
    super.connect({
      host: target.host,
      port: target.port,
      lookup: pinnedLookup(target.addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    });
  }

  #fail(error: Error): void {
    (this as { connecting: boolean }).connecting = false;
    this.destroy(error);
  }
}

/**
 * Returns the `stream` option of drivers that connect the stream themselves (pg). The target that they pass is checked.
 */
export function unconnectedSocket(purpose: Purpose, policy: EgressPolicy = systemPolicy()): () => GuardedSocket {
  return () => new GuardedSocket(purpose, policy);
}

/** Returns the `stream` option of drivers that expect a connecting stream (mysql2). */
export function connectingSocket(
  { purpose, host, port }: TargetRequest,
  policy: EgressPolicy = systemPolicy(),
): () => GuardedSocket {
  return () => new GuardedSocket(purpose, policy).connect({ host, port });
}

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_host, _options, done) => done(null, entries);
}

function toEndpoint([first, second]: unknown[]): { host: string; port: number } | null {
  if (typeof first === "number" || (typeof first === "string" && /^\d+$/.test(first))) {
    return typeof second === "string" ? { host: second, port: Number(first) } : null;
  }
  if (typeof first !== "object" || first === null) return null;
  if ("path" in first && first.path) return null;
  const host = "host" in first ? first.host : undefined;
  const port = "port" in first ? first.port : undefined;
  return typeof host === "string" && (typeof port === "number" || typeof port === "string")
    ? { host, port: Number(port) }
    : null;
}

function isListener(value: unknown): value is () => void {
  return typeof value === "function";
}
