import { createHash, randomBytes } from "node:crypto";

/** 256 bits: not guessable, so a fast hash is right for storing it (T10, T16). */
const TOKEN_BYTES = 32;
export const API_KEY_PREFIX = "mr_";
/** Enough of a key for its owner to recognise it, too little to help anybody else. */
const VISIBLE_CHARACTERS = 8;

/** A fresh random token, 43 base64url characters. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** A fresh API key (docs/develop/api.md, Workspaces) and the part of it that lists may show. */
export function newApiKey(): { key: string; prefix: string } {
  const key = `${API_KEY_PREFIX}${newToken()}`;
  return { key, prefix: key.slice(0, VISIBLE_CHARACTERS) };
}

/** The form in which tokens and keys are stored: SHA-256 in hex. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
