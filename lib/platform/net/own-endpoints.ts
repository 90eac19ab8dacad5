import "server-only";
import { resolveSrv } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { serverMember } from "@/lib/platform/process/server-context";
import { canonicalAddress, classifyAddress } from "./address";
import { resolveBySystem } from "./resolver";

const MONGODB_PORT = 27_017;
const LOOPBACK = "127.0.0.1";
/** Maximum age of the cached addresses of the platform's services, in ms. A moved service is covered soon after. */
const ADDRESSES_CACHE_MS = 30_000;
const RETRY_AFTER_SECONDS = 5;

type Endpoint = { host: string; port: number };

/** A service of the platform itself. `addresses` is empty while its name does not resolve. */
export type OwnEndpoint = Endpoint & { addresses: readonly string[] };

type Known = { addresses: string[]; readAt: number };
export type OwnEndpoints = { registered: Set<Endpoint>; known: Map<string, Known> };

/**
 * Adds a listener of this process, or another server of the store, to the addresses that users' connections may not
 * reach (T38). The embedded store needs no entry: it listens on a socket file, which the egress proxy never dials.
 * @returns removes it again
 */
export function denyEndpoint(endpoint: Endpoint): () => void {
  const { registered } = ownState();
  const own = { host: endpoint.host.toLowerCase(), port: endpoint.port };
  registered.add(own);
  return () => registered.delete(own);
}

/**
 * Returns the store, the job runner, the web server and the registered endpoints, with their current addresses.
 * @throws AppError `unavailable` when one of their names cannot be looked up and never could: without its addresses, a
 *   user's target cannot be compared with it
 */
export async function ownEndpoints(): Promise<OwnEndpoint[]> {
  const { MONGODB_URI, INNGEST_BASE_URL } = env();
  const endpoints = [...ownState().registered];
  if (MONGODB_URI !== undefined) endpoints.push(...(await storeEndpoints(MONGODB_URI)));
  const own = endpoints.map(async (endpoint) => ({ ...endpoint, addresses: await addressesOf(endpoint.host) }));
  if (INNGEST_BASE_URL !== undefined) own.push(jobRunner(webEndpoint(INNGEST_BASE_URL)));
  return [...(await Promise.all(own)), ...(await webServer())];
}

/**
 * Returns the job runner with its non-public addresses only. A hosted one shares its public addresses with other sites,
 * so there only its name identifies it.
 */
async function jobRunner(endpoint: Endpoint): Promise<OwnEndpoint> {
  const addresses = await addressesOf(endpoint.host);
  return { ...endpoint, addresses: addresses.filter((address) => classifyAddress(address) !== "public") };
}

/**
 * Returns the web server's endpoints: this machine with the listening port, and the host of PUBLIC_URL by name and
 * addresses. A proxy in front of it may serve other sites at the same address, even on this machine, so other names for
 * the address are refused at the listening port only.
 */
async function webServer(): Promise<OwnEndpoint[]> {
  const { PORT, publicUrl } = env();
  const known = webEndpoint(publicUrl);
  // Without a name service, no client can reach it by its name either.
  const addresses = await addressesOf(known.host).catch(() => []);
  const here = addresses.filter(isThisMachine);
  return [
    { host: LOOPBACK, port: PORT, addresses: [LOOPBACK] },
    ...[...new Set([known.port, PORT])].flatMap((port) => [
      { host: known.host, port, addresses: port === PORT ? here : [] },
      ...addresses.map((host) => ({ host, port, addresses: [] })),
    ]),
  ];
}

/**
 * Returns whether a connection would end at one of the platform's own services. A service on this machine is reachable
 * at all of the machine's addresses, so any of them with its port counts.
 * @param addresses canonical, already resolved
 */
export function isOwnEndpoint(
  own: readonly OwnEndpoint[],
  target: Endpoint & { addresses: readonly string[] },
): boolean {
  const samePort = own.filter((endpoint) => endpoint.port === target.port);
  if (samePort.length === 0) return false;
  if (samePort.some((endpoint) => endpoint.host === target.host)) return true;
  const machine = new Set(machineAddresses());
  const isHere = (address: string) => isOfMachine(address, machine);
  return samePort.some((endpoint) =>
    endpoint.addresses.some(
      (address) =>
        target.addresses.includes(address) || (isHere(address) && target.addresses.some((other) => isHere(other))),
    ),
  );
}

/**
 * Returns the servers of a MongoDB URI; for mongodb+srv, those of its SRV record. Socket files are omitted, because
 * users' connections cannot reach them.
 */
export async function storeEndpoints(uri: string): Promise<Endpoint[]> {
  const scheme = /^mongodb(\+srv)?:\/\//.exec(uri);
  if (!scheme) return [];
  const authority = uri.slice(scheme[0].length).split(/[/?]/, 1)[0] ?? "";
  const hosts = authority.slice(authority.lastIndexOf("@") + 1).split(",");
  if (scheme[1] !== undefined) return srvEndpoints(hosts[0] ?? "");
  return hosts.filter((host) => host !== "" && !/%2f/i.test(host)).map(toEndpoint);
}

function toEndpoint(text: string): Endpoint {
  const parts = /^(?:\[(?<address>[^\]]*)\]|(?<name>[^:]*))(?::(?<port>\d+))?$/.exec(text)?.groups;
  const host = parts?.address ?? parts?.name ?? text;
  return { host: host.toLowerCase(), port: parts?.port === undefined ? MONGODB_PORT : Number(parts.port) };
}

async function srvEndpoints(host: string): Promise<Endpoint[]> {
  const records = await lookUpOnce(`srv:${host}`, async () => {
    const found = await resolveSrv(`_mongodb._tcp.${host}`);
    return found.map((record) => `${record.name}:${record.port}`);
  });
  return records.map(toEndpoint);
}

function webEndpoint(address: string): Endpoint {
  const url = new URL(address);
  const defaultPort = url.protocol === "https:" ? 443 : 80;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, ""),
    port: url.port === "" ? defaultPort : Number(url.port),
  };
}

async function addressesOf(host: string): Promise<readonly string[]> {
  if (isIP(host)) return [canonicalAddress(host) ?? host];
  return lookUpOnce(host, () => resolveBySystem(host));
}

async function lookUpOnce(key: string, look: () => Promise<string[]>): Promise<readonly string[]> {
  const { known } = ownState();
  const last = known.get(key);
  if (last && performance.now() - last.readAt < ADDRESSES_CACHE_MS) return last.addresses;
  try {
    const addresses = await look();
    known.set(key, { addresses, readAt: performance.now() });
    return addresses;
  } catch (error) {
    if (last) return last.addresses;
    if (isNoSuchName(error)) return [];
    throw new AppError("unavailable", "DNS is not responding. Try again in a moment.", {
      cause: error,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}

function isNoSuchName(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOTFOUND" || error.code === "ENODATA");
}

/** Returns whether an address belongs to this machine. */
export function isThisMachine(address: string): boolean {
  return isOfMachine(canonicalAddress(address) ?? address, new Set(machineAddresses()));
}

function isOfMachine(address: string, machine: ReadonlySet<string>): boolean {
  return classifyAddress(address) === "loopback" || machine.has(address);
}

function machineAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).map((entry) => canonicalAddress(entry.address) ?? entry.address),
  );
}

const ownState = serverMember("ownEndpoints", () => ({ registered: new Set(), known: new Map() }));
