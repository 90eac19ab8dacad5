import "server-only";
import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { canonicalAddress, classifyAddress, isMetadataName } from "../address";
import { addressRefused } from "../failures";
import { checkPort, normalizeHost } from "../host";
import { checkTarget } from "../judge";
import { isOwnEndpoint, isThisMachine } from "../own-endpoints";
import { type EgressPolicy, systemPolicy } from "../policy";

/** What only the other end knows is not waited for. */
const LOOK_UP_TIMEOUT_MS = 2000;

type Forwarded = {
  host: string;
  port: number;
  /** The address of the tunnel's server that was dialled; null before that, when settings are judged. */
  tunnel: string | null;
};

/**
 * Decides whether a tunnel may lead to an address. The name is looked up at the other end, where we do not see what it
 * stands for, so the rules are about what it may be called:
 * - metadata services, link-local, multicast and reserved addresses are refused, by number and by name, as everywhere;
 * - the platform's own services are refused by name and by address (T38), whatever the name stands for here included;
 * - private addresses and loopback are the tunnel's own network and machine, which is what it is for, and are open in
 *   each mode;
 * - a tunnel whose server is this machine sees what we see: then everything holds as without it.
 * @throws AppError `address_refused`, `invalid_request`
 */
export async function checkForwarded(
  { host, port, tunnel }: Forwarded,
  policy: EgressPolicy = systemPolicy(),
): Promise<{ host: string; port: number }> {
  if (tunnel !== null && isThisMachine(tunnel)) {
    const { addresses } = await checkTarget({ purpose: "database", host, port }, policy);
    // What was judged is what is asked for, and not what the name stands for a moment later (T33).
    return { host: addresses[0] ?? host, port };
  }
  const name = normalizeHost(host);
  checkPort(port);
  if (isMetadataName(name)) throw addressRefused();
  const addresses = isIP(name) ? [name] : await lookUp(name, policy);
  if (addresses.some((address) => classifyAddress(address) === "forbidden")) throw addressRefused();
  // Loopback is the other machine's, so nothing of ours.
  const apart = addresses.filter((address) => classifyAddress(address) !== "loopback");
  const isLoopback = addresses.length > 0 && apart.length === 0;
  if (!isLoopback && isOwnEndpoint(await policy.ownEndpoints(), { host: name, port, addresses: apart })) {
    throw addressRefused();
  }
  return { host: name, port };
}

/** What the name stands for here, if anything: a second fence, since the other end may know it as something else. */
async function lookUp(name: string, policy: EgressPolicy): Promise<string[]> {
  const patience = sleep(LOOK_UP_TIMEOUT_MS, [] as string[], { ref: false });
  const found = await Promise.race([policy.resolve(name).catch(() => [] as string[]), patience]);
  return found.map((address) => canonicalAddress(address) ?? address);
}
