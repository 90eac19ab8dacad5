import "server-only";
import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
/** 64 hexadecimal digits. */
const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` and 64 hexadecimal digits (docs/notifications.md). */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("hex");
}

/**
 * Both signatures of a message.
 *
 * `X-Service-Signature` is the HMAC of the body, keyed with the whole secret as it is written. The others are those of
 * Standard Webhooks, whose verifiers take what follows `whsec_` as base64: 64 hexadecimal digits are valid base64, of 48
 * bytes, and those bytes are the key. So one secret, as it was shown, opens both.
 * @param body the exact bytes that are sent
 * @param id the same over all sends of one message
 */
export function signatureHeaders(
  secret: string,
  { id, body, at }: { id: string; body: string; at: Date },
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "X-Service-Signature": createHmac("sha256", secret).update(body).digest("hex"),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}
