import "server-only";
import { createHash, timingSafeEqual } from "node:crypto";
import { AppError } from "@/lib/platform/http/errors";

/** The fingerprint of a server's public key in OpenSSH's form: `SHA256:` and 43 base64 characters, without padding. */
export type Fingerprint = `SHA256:${string}`;

export function fingerprintOf(publicKey: Buffer): Fingerprint {
  return `SHA256:${createHash("sha256").update(publicKey).digest("base64").replace(/=+$/, "")}`;
}

/**
 * Normalises a pasted fingerprint, with or without its prefix and its padding.
 * @throws AppError `invalid_request`
 */
export function toFingerprint(text: string): Fingerprint {
  const signs = /^(?:SHA256:)?([A-Za-z0-9+/]{43})=?$/.exec(text.trim())?.[1];
  if (signs !== undefined) return `SHA256:${signs}`;
  throw new AppError(
    "invalid_request",
    "Invalid fingerprint. Use the form SHA256:uNiVztksCsDhcc0u9e8BrwsSCCwnPJz8cX0K2v1m2bU.",
  );
}

export function isSameFingerprint(one: Fingerprint, other: Fingerprint): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
