import "server-only";
import { plainSignature, standardSignature } from "@/lib/platform/secrets/signing-secret";

/**
 * Returns both signatures of a message: the plain one, and the headers of Standard Webhooks. Both use the secret as
 * shown.
 * @param body the exact bytes that are sent
 * @param id the same for every send of one message
 */
export function signatureHeaders(
  secret: string,
  { id, body, at }: { id: string; body: string; at: Date },
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const bytes = Buffer.from(body);
  return {
    "X-Service-Signature": plainSignature(secret, bytes),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${standardSignature(secret, { id, timestamp, body: bytes })}`,
  };
}
