import "server-only";
import { addressSubject, consumeHere } from "@/lib/platform/access/rate-limit";
import { env } from "@/lib/platform/env";
import { remoteAddress } from "@/lib/platform/http/remote-address";

/**
 * Counts a visit to a share link, known or unknown, before any lookup.
 * @throws AppError `rate_limited` for an address with more requests than a house full of viewers sends
 */
export function admitVisitor(headers: Headers): Promise<void> {
  return consumeHere("shareVisit", visitorOf(headers));
}

/** Returns the subject of limits by address. */
export function visitorOf(headers: Headers): string {
  return addressSubject(remoteAddress(headers, env().TRUST_PROXY));
}
