import "server-only";
import { randomBytes, timingSafeEqual } from "node:crypto";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";
import { openSocket } from "./connect";
import type { Dialer } from "./dialer";
import { denyEndpoint } from "./own-endpoints";
import { type EgressPolicy, systemPolicy } from "./policy";
import { ByteReader } from "./socks-reader";

/** Handshake timeout, in ms. A driver sends its request at once. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/**
 * Connect timeout, in ms. It is below the MongoDB driver's 30 s, so that the driver gets the reason before it gives up.
 */
const CONNECT_TIMEOUT_MS = 20_000;
/** 192 bits: other users of this machine cannot guess it. */
const CREDENTIAL_BYTES = 24;

// Constants of RFC 1928 and RFC 1929, with the names used there.
const VERSION = 5;
const AUTH_VERSION = 1;
const METHOD_USERNAME_PASSWORD = 2;
const NO_ACCEPTABLE_METHOD = 0xff;
const COMMAND_CONNECT = 1;
const ADDRESS_IPV4 = 1;
const ADDRESS_NAME = 3;
const ADDRESS_IPV6 = 4;
const REPLY = {
  succeeded: 0,
  generalFailure: 1,
  notAllowed: 2,
  hostUnreachable: 4,
  connectionRefused: 5,
  commandNotSupported: 7,
  addressTypeNotSupported: 8,
} as const;

/** Options of the MongoDB driver, with the same names. */
export type ProxyOptions = { proxyHost: string; proxyPort: number; proxyUsername: string; proxyPassword: string };

export type SocksDoor = { options: ProxyOptions; close(): Promise<void> };

/**
 * Returns the proxy options for users' MongoDB connections. The driver discovers servers itself (hello.hosts, SRV), and
 * with these options each of them is checked before it is dialled (T37). Starts the egress proxy on first use; it never
 * keeps a process alive.
 */
export async function mongoProxyOptions(): Promise<ProxyOptions> {
  const state = socksProxy();
  state.door ??= openSocksDoor().catch((error: unknown) => {
    state.door = null;
    throw error;
  });
  return (await state.door).options;
}

/**
 * Starts a SOCKS5 server on a free loopback port, for clients with its user name and password. Supports CONNECT only.
 * @param dialer default: a direct connection through the egress policy
 */
export async function openSocksDoor(policy: EgressPolicy = systemPolicy(), dialer?: Dialer): Promise<SocksDoor> {
  const credentials = {
    username: randomBytes(CREDENTIAL_BYTES).toString("base64url"),
    password: randomBytes(CREDENTIAL_BYTES).toString("base64url"),
  };
  const clients = new Set<Socket>();
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    clients.add(client);
    client.once("close", () => clients.delete(client));
    client.on("error", () => client.destroy());
    void serve(client, credentials, policy, dialer);
  });
  await listen(server);
  server.unref();
  const { port } = server.address() as AddressInfo;
  const allowAgain = denyEndpoint({ host: "127.0.0.1", port });
  return {
    options: {
      proxyHost: "127.0.0.1",
      proxyPort: port,
      proxyUsername: credentials.username,
      proxyPassword: credentials.password,
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        allowAgain();
        for (const client of clients) client.destroy();
      }),
  };
}

type Credentials = { username: string; password: string };
type Request = { host: string; port: number };

async function serve(
  client: Socket,
  credentials: Credentials,
  policy: EgressPolicy,
  dialer: Dialer | undefined,
): Promise<void> {
  const handshake = setTimeout(() => client.destroy(), HANDSHAKE_TIMEOUT_MS);
  const left = new AbortController();
  client.once("close", () => left.abort());
  const reader = new ByteReader(client);
  try {
    if (!(await authenticate(client, reader, credentials))) return client.destroySoon();
    const request = await readRequest(reader);
    clearTimeout(handshake);
    if (typeof request === "number") return hangUp(client, request);
    const upstream = await openSocket(
      { purpose: "database", ...request, timeoutMs: CONNECT_TIMEOUT_MS, signal: left.signal, dialer },
      policy,
    );
    client.write(reply(REPLY.succeeded));
    reader.release();
    join(client, upstream);
  } catch (error) {
    if (client.destroyed) return;
    if (error instanceof AppError && error.kind !== "source_unreachable")
      log.warn({ code: error.kind }, "database address not opened");
    hangUp(client, replyOf(error));
  } finally {
    clearTimeout(handshake);
  }
}

async function authenticate(client: Socket, reader: ByteReader, credentials: Credentials): Promise<boolean> {
  if ((await reader.byte()) !== VERSION) return false;
  const methods = await reader.take(await reader.byte());
  if (!methods.includes(METHOD_USERNAME_PASSWORD)) {
    client.write(Buffer.from([VERSION, NO_ACCEPTABLE_METHOD]));
    return false;
  }
  client.write(Buffer.from([VERSION, METHOD_USERNAME_PASSWORD]));
  if ((await reader.byte()) !== AUTH_VERSION) return false;
  const username = await reader.take(await reader.byte());
  const password = await reader.take(await reader.byte());
  const isKnown = [isEqual(username, credentials.username), isEqual(password, credentials.password)].every(Boolean);
  client.write(Buffer.from([AUTH_VERSION, isKnown ? 0 : 1]));
  return isKnown;
}

/** @returns the target to connect to, or the reply code of the refusal */
async function readRequest(reader: ByteReader): Promise<Request | number> {
  const [version, command, , addressType] = await reader.take(4);
  if (version !== VERSION) return REPLY.generalFailure;
  if (command !== COMMAND_CONNECT) return REPLY.commandNotSupported;
  const host = await readHost(reader, addressType);
  if (host === null) return REPLY.addressTypeNotSupported;
  return { host, port: (await reader.take(2)).readUInt16BE() };
}

async function readHost(reader: ByteReader, addressType: number | undefined): Promise<string | null> {
  if (addressType === ADDRESS_NAME) return (await reader.take(await reader.byte())).toString("latin1");
  if (addressType === ADDRESS_IPV4) return ipaddr.fromByteArray([...(await reader.take(4))]).toString();
  if (addressType === ADDRESS_IPV6) return ipaddr.fromByteArray([...(await reader.take(16))]).toString();
  return null;
}

function replyOf(error: unknown): number {
  if (!(error instanceof AppError)) return REPLY.generalFailure;
  if (error.kind === "address_refused" || error.kind === "invalid_request") return REPLY.notAllowed;
  const reason = error.details && "reason" in error.details ? error.details.reason : null;
  return reason === "refused" ? REPLY.connectionRefused : REPLY.hostUnreachable;
}

/** The bound address in the reply is all zeros, because clients do not need it. */
function reply(code: number): Buffer {
  return Buffer.from([VERSION, code, 0, ADDRESS_IPV4, 0, 0, 0, 0, 0, 0]);
}

function hangUp(client: Socket, code: number): void {
  client.write(reply(code));
  client.destroySoon();
}

/** Pipes both directions; when one side fails, the other is destroyed. */
function join(client: Socket, upstream: Socket): void {
  upstream.setNoDelay(true);
  upstream.on("error", () => upstream.destroy());
  // The driver still gets the bytes that had arrived; a server that stopped reading is not waited for.
  upstream.once("close", () => client.destroySoon());
  client.once("close", () => upstream.destroy());
  client.pipe(upstream);
  upstream.pipe(client);
}

function isEqual(given: Buffer, expected: string): boolean {
  const wanted = Buffer.from(expected);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}

const socksProxy = serverMember("socksProxy", () => ({ door: null }), {
  phase: "network",
  close: async ({ door }) => (await door)?.close(),
});
