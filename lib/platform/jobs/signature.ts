import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export const SIGNATURE_HEADER = "x-inngest-signature";
/** Maximum age of a signature, in ms, in both directions, so that a recorded request cannot be replayed later. */
const SIGNATURE_AGE_MAX_MS = 5 * 60 * 1000;
const FORM = /^t=(\d{1,12})&s=([0-9a-f]{64})$/;

/** Signs a body with the current time: `t=<unix seconds>&s=<hex HMAC-SHA256 of body and seconds>`. */
export function sign(body: string | Uint8Array, signingKey: string, now: number = Date.now()): string {
  const seconds = Math.floor(now / 1000);
  return `t=${seconds}&s=${digest(body, signingKey, seconds)}`;
}

/** Returns whether one of the keys signed exactly these bytes in the last five minutes. */
export function isSigned(
  body: string | Uint8Array,
  signature: string | null,
  signingKeys: readonly string[],
  now: number = Date.now(),
): boolean {
  const [, seconds, given] = FORM.exec(signature ?? "") ?? [];
  if (seconds === undefined || given === undefined) return false;
  if (Math.abs(now - Number(seconds) * 1000) > SIGNATURE_AGE_MAX_MS) return false;
  return signingKeys.some((key) =>
    timingSafeEqual(Buffer.from(digest(body, key, Number(seconds)), "hex"), Buffer.from(given, "hex")),
  );
}

/**
 * Returns the hash that proves possession of the key to the runner's API without revealing it: the SHA-256 of its
 * bytes, after its prefix.
 */
export function hashSigningKey(signingKey: string): string {
  const prefix = /^signkey-\w+-/.exec(signingKey)?.[0] ?? "";
  return prefix + createHash("sha256").update(withoutPrefix(signingKey), "hex").digest("hex");
}

function digest(body: string | Uint8Array, signingKey: string, seconds: number): string {
  return createHmac("sha256", withoutPrefix(signingKey)).update(body).update(String(seconds)).digest("hex");
}

/** Returns the text after the prefix. This text is the key, not the bytes that its hex digits encode. */
function withoutPrefix(signingKey: string): string {
  return signingKey.replace(/^signkey-\w+-/, "");
}
