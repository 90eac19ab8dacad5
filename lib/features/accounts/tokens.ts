import { createHash, randomBytes } from "node:crypto";

/** Size of a token: 256 bits cannot be guessed, so a fast hash is right for storing it (T10, T16). */
const TOKEN_BYTES = 32;
export const API_KEY_PREFIX = "mr_";
/** Start of a connected app's access token. */
export const ACCESS_TOKEN_PREFIX = "mo_";
/** Number of a key's characters that are shown: enough for its owner to recognise it, too few to help anyone else. */
const VISIBLE_CHARACTERS = 8;

/** Returns a new random token, 43 base64url characters. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Returns a new API key (docs/develop/api.md, Workspaces) and the part of it that lists may show. */
export function newApiKey(): { key: string; prefix: string } {
  const key = `${API_KEY_PREFIX}${newToken()}`;
  return { key, prefix: key.slice(0, VISIBLE_CHARACTERS) };
}

/** Hashes tokens and keys for storage: SHA-256 in hex. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
