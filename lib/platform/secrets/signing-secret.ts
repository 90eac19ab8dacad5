import "server-only";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const PREFIX = "whsec_";
/** 64 hexadecimal digits. */
const SECRET_BYTES = 32;

/** A new secret that signs messages between two services: `whsec_` and 64 hexadecimal digits. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("hex");
}

/** The plain signature of a body: its HMAC-SHA256 in hex, keyed with the whole secret as it is written. */
export function plainSignature(secret: string, body: Uint8Array): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

/**
 * The signature of Standard Webhooks, without its version. Its verifiers take what follows `whsec_` as base64: 64
 * hexadecimal digits are valid base64, of 48 bytes, and those bytes are the key.
 * @param timestamp whole seconds, as it stands in the header
 */
export function standardSignature(
  secret: string,
  { id, timestamp, body }: { id: string; timestamp: string; body: Uint8Array },
): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
}

/** Whether two texts are the same, in a time that does not tell how far they are. */
export function isSameSignature(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
