import "server-only";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const PREFIX = "whsec_";
/** 64 hexadecimal digits. */
const SECRET_BYTES = 32;

/** Returns a new secret that signs messages between two services: `whsec_` and 64 hexadecimal digits. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("hex");
}

/** Returns the plain signature of a body: its HMAC-SHA256 in hex, keyed with the complete secret text. */
export function plainSignature(secret: string, body: Uint8Array): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

/**
 * Returns the signature of Standard Webhooks, without its version. Its verifiers decode the part after `whsec_` as
 * base64: 64 hexadecimal digits are valid base64, of 48 bytes, and those bytes are the key.
 * @param timestamp whole seconds, as in the header
 */
export function standardSignature(
  secret: string,
  { id, timestamp, body }: { id: string; timestamp: string; body: Uint8Array },
): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
}

/** Returns whether two texts are equal, in constant time. */
export function isSameSignature(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
