import "server-only";
import { isIP } from "node:net";
import { canonicalAddress, classifyAddress, isClassAllowed, isMetadataName, type Purpose } from "./address";
import { addressRefused, toConnectionFailure } from "./failures";
import { checkPort, normalizeHost, parseWebTarget, type WebTarget } from "./host";
import { isOwnEndpoint } from "./own-endpoints";
import { type EgressPolicy, systemPolicy } from "./policy";

export type TargetRequest = { purpose: Purpose; host: string; port: number };

/** A checked target. Only `addresses` may be dialled; `host` is for the certificate and the Host header. */
export type JudgedTarget = { host: string; port: number; addresses: readonly string[] };

/**
 * Checks whether an address may be dialled: one look-up, of which every address has to be allowed (T30 to T33, T38).
 * Also used before such an address is stored. A look-up has no time limit: callers race it against their deadline.
 * @throws AppError `invalid_request` for an invalid host or port, `address_refused`, `source_unreachable` when the name
 *   does not resolve
 */
export async function checkTarget(
  { purpose, host, port }: TargetRequest,
  policy: EgressPolicy = systemPolicy(),
): Promise<JudgedTarget> {
  const name = normalizeHost(host);
  checkPort(port);
  if (isMetadataName(name)) throw addressRefused();
  const addresses = isIP(name) ? [name] : await resolve(name, policy);
  for (const address of addresses) {
    if (!isClassAllowed(classifyAddress(address), purpose, policy.mode)) throw addressRefused();
  }
  const target = { host: name, port, addresses };
  if (isOwnEndpoint(await policy.ownEndpoints(), target)) throw addressRefused();
  return target;
}

/**
 * Checks a web address, such as a webhook's before it is stored.
 * @throws AppError as `checkTarget`; `invalid_request` for anything but an http(s) address that the egress proxy
 *   supports (T36)
 */
export async function checkWebAddress(
  address: string,
  purpose: Purpose,
  policy: EgressPolicy = systemPolicy(),
): Promise<WebTarget> {
  const target = parseWebTarget(address);
  await checkTarget({ purpose, host: target.host, port: target.port }, policy);
  return target;
}

async function resolve(name: string, policy: EgressPolicy): Promise<string[]> {
  let found: string[];
  try {
    found = await policy.resolve(name);
  } catch (error) {
    throw toConnectionFailure(error);
  }
  if (found.length === 0) throw toConnectionFailure(noAddress());
  return found.map((address) => canonicalAddress(address) ?? address);
}

function noAddress(): Error {
  return Object.assign(new Error("The name has no address."), { code: "ENOTFOUND" });
}
