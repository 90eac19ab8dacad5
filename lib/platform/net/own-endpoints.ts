import "server-only";
import { resolveSrv } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { sharedState } from "@/lib/platform/process/shared-state";
import { canonicalAddress, classifyAddress } from "./address";
import { resolveBySystem } from "./resolver";

const MONGODB_PORT = 27_017;
const LOOPBACK = "127.0.0.1";
/** How long the addresses of our own services are believed; a move of one of them is covered soon after. */
const ADDRESSES_CACHE_MS = 30_000;
const RETRY_AFTER_SECONDS = 5;

type Endpoint = { host: string; port: number };

/** A service of the platform itself. `addresses` is empty when its name leads nowhere now. */
export type OwnEndpoint = Endpoint & { addresses: readonly string[] };

type Known = { addresses: string[]; readAt: number };
type OwnState = { registered: Set<Endpoint>; known: Map<string, Known> };

/**
 * Adds a listener of this process, or another server of the store, to the addresses that no connection of a user may
 * reach (T38). The embedded store needs none: it listens on a socket file, which the door never dials.
 * @returns takes it off again
 */
export function denyEndpoint(endpoint: Endpoint): () => void {
  const { registered } = ownState();
  const own = { host: endpoint.host.toLowerCase(), port: endpoint.port };
  registered.add(own);
  return () => registered.delete(own);
}

/**
 * The store, the job runner, the web server and what was registered, with their addresses of now.
 * @throws AppError `unavailable` when one of their names cannot be looked up and never could: without its address
 *   nobody can tell whether it is what a user asks for
 */
export async function ownEndpoints(): Promise<OwnEndpoint[]> {
  const { MONGODB_URI, INNGEST_BASE_URL } = env();
  const endpoints = [...ownState().registered];
  if (MONGODB_URI !== undefined) endpoints.push(...(await storeEndpoints(MONGODB_URI)));
  const own = endpoints.map(async (endpoint) => ({ ...endpoint, addresses: await addressesOf(endpoint.host) }));
  if (INNGEST_BASE_URL !== undefined) own.push(jobRunner(webEndpoint(INNGEST_BASE_URL)));
  return [...(await Promise.all(own)), ...(await webServer())];
}

/** A hosted job runner shares its public addresses with many other sites: there, only its name tells it apart. */
async function jobRunner(endpoint: Endpoint): Promise<OwnEndpoint> {
  const addresses = await addressesOf(endpoint.host);
  return { ...endpoint, addresses: addresses.filter((address) => classifyAddress(address) !== "public") };
}

/**
 * The web server: this machine with the port on which it listens, and the host of PUBLIC_URL by its name and addresses. A
 * proxy in front of it may serve other sites by the same address, on this machine too, so other names for the address
 * are refused at the listening port only.
 */
async function webServer(): Promise<OwnEndpoint[]> {
  const { PORT, publicUrl } = env();
  const known = webEndpoint(publicUrl);
  // Without a name service nobody reaches it by its name either.
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
 * Whether a connection would end at one of the platform's own services. A service on this machine is reached by all of
 * the machine's addresses, so any of them with its port counts.
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
 * The servers that a MongoDB address names; of a mongodb+srv one, those that its record lists.
 * Socket files are left out: no connection of a user reaches one.
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
    throw new AppError("unavailable", "The name service does not answer. Try again in a moment.", {
      cause: error,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}

function isNoSuchName(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOTFOUND" || error.code === "ENODATA");
}

/** Whether a canonical address is one of this machine. */
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

function ownState(): OwnState {
  return sharedState("net.own-endpoints", () => ({ registered: new Set(), known: new Map() }));
}
