import "server-only";
import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { canonicalAddress, classifyAddress, isMetadataName } from "../address";
import { addressRefused } from "../failures";
import { checkPort, normalizeHost } from "../host";
import { checkTarget } from "../judge";
import { isOwnEndpoint, isThisMachine } from "../own-endpoints";
import { type EgressPolicy, systemPolicy } from "../policy";

/** Timeout of the local look-up, in ms. A name that only the other end knows must not delay the connection. */
const LOOK_UP_TIMEOUT_MS = 2000;

type Forwarded = {
  host: string;
  port: number;
  /** The address of the tunnel's server that was dialled; null while only settings are checked. */
  tunnel: string | null;
};

/**
 * Checks whether a tunnel may lead to an address. The other end resolves the name, out of our sight, so the rules apply
 * to its possible meanings:
 * - Metadata services, link-local, multicast and reserved addresses are refused by number and by name, as everywhere.
 * - The platform's own services are refused by name and by address (T38), including the local meaning of the name.
 * - Private addresses and loopback belong to the tunnel's network and machine. They are its purpose and open in each
 *   mode.
 * - A tunnel whose server is this machine sees our network, so the rules without a tunnel apply.
 * @throws AppError `address_refused`, `invalid_request`
 */
export async function checkForwarded(
  { host, port, tunnel }: Forwarded,
  policy: EgressPolicy = systemPolicy(),
): Promise<{ host: string; port: number }> {
  if (tunnel !== null && isThisMachine(tunnel)) {
    const { addresses } = await checkTarget({ purpose: "database", host, port }, policy);
    // Uses the checked address, because the name may resolve differently a moment later (T33).
    return { host: addresses[0] ?? host, port };
  }
  const name = normalizeHost(host);
  checkPort(port);
  if (isMetadataName(name)) throw addressRefused();
  const addresses = isIP(name) ? [name] : await lookUp(name, policy);
  if (addresses.some((address) => classifyAddress(address) === "forbidden")) throw addressRefused();
  // Loopback means the other machine, so it is not one of our services.
  const apart = addresses.filter((address) => classifyAddress(address) !== "loopback");
  const isLoopback = addresses.length > 0 && apart.length === 0;
  if (!isLoopback && isOwnEndpoint(await policy.ownEndpoints(), { host: name, port, addresses: apart })) {
    throw addressRefused();
  }
  return { host: name, port };
}

/**
 * Returns the local addresses of the name, if any: an additional check, because the other end may resolve it
 * differently.
 */
async function lookUp(name: string, policy: EgressPolicy): Promise<string[]> {
  const patience = sleep(LOOK_UP_TIMEOUT_MS, [] as string[], { ref: false });
  const found = await Promise.race([policy.resolve(name).catch(() => [] as string[]), patience]);
  return found.map((address) => canonicalAddress(address) ?? address);
}
