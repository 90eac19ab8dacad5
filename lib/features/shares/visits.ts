import "server-only";
import { addressSubject, consumeHere } from "@/lib/platform/access/rate-limit";
import { env } from "@/lib/platform/env";
import { remoteAddress } from "@/lib/platform/http/remote-address";

/**
 * Counts a look at whatever is shared, known or not, before anything is looked up for it.
 * @throws AppError `rate_limited` for an address that asks more than a house full of viewers does
 */
export function admitVisitor(headers: Headers): Promise<void> {
  return consumeHere("shareVisit", visitorOf(headers));
}

/** Whom limits by address count. */
export function visitorOf(headers: Headers): string {
  return addressSubject(remoteAddress(headers, env().TRUST_PROXY));
}
