import "server-only";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { EncryptionKey } from "@/lib/platform/env";
import { getSecrets } from "./bootstrap";

const CIPHER = "aes-256-gcm";
const VERSION = "v1";
/** 96 random bits, the nonce size of GCM; safe for 2^32 values under one key (NIST SP 800-38D). */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = /^v1:([A-Za-z0-9_-]{1,32}):([A-Za-z0-9_-]{16}):([A-Za-z0-9_-]{22,})$/;

declare const sealedMark: unique symbol;
/**
 * An encrypted secret: `v1:<key id>:<nonce>:<ciphertext and tag>`, the last two in base64url. Safe to store, not to
 * show.
 */
export type Sealed = string & { readonly [sealedMark]: true };

/** Location of an encrypted value. It decrypts nowhere else, so it cannot be moved to another row or field (T44). */
export type SealContext = {
  workspaceId: string;
  recordId: string;
  /** Dotted path in the record, such as `config.password`. */
  field: string;
};

/** The newest key first: it encrypts, all of them decrypt. */
export type KeyRing = readonly EncryptionKey[];

/**
 * `malformed`: not an encrypted value; `unknown_key`: its key is not in the ring; `mismatch`: the value was changed or
 * moved.
 */
export type SealErrorReason = "malformed" | "unknown_key" | "mismatch";

/** Thrown if a stored secret cannot be decrypted. Neither the message nor a cause contains any part of the value. */
export class SealError extends Error {
  constructor(
    readonly reason: SealErrorReason,
    message: string,
  ) {
    super(message);
    this.name = "SealError";
  }
}

/**
 * Encrypts a secret for its context with the newest key (docs/develop/api.md, Connections; AES-256-GCM).
 * @param text any text, including an empty one
 */
export function seal(text: string, context: SealContext, ring: KeyRing = getSecrets().encryptionKeys): Sealed {
  const { id, key } = newestKey(ring);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(toBytes(context));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${VERSION}:${id}:${nonce.toString("base64url")}:${sealed.toString("base64url")}` as Sealed;
}

/** @throws SealError */
export function open(sealed: Sealed, context: SealContext, ring: KeyRing = getSecrets().encryptionKeys): string {
  const { keyId, nonce, content } = parse(sealed);
  const key = ring.find((entry) => entry.id === keyId)?.key;
  if (!key) {
    throw new SealError(
      "unknown_key",
      `Encryption key "${keyId}" is missing. Restore it in ENCRYPTION_KEYS or secrets.json, or enter the secret again.`,
    );
  }
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(toBytes(context));
  decipher.setAuthTag(content.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(content.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    throw new SealError("mismatch", "A stored secret is damaged. Enter it again.");
  }
}

/** Returns whether a value has the form that `seal` produces; tells encrypted fields of a document from plain ones. */
export function isSealed(value: unknown): value is Sealed {
  return typeof value === "string" && FORM.test(value);
}

/** Returns whether a value is encrypted with a key other than the newest. @throws SealError `malformed` */
export function needsRotation(sealed: Sealed, ring: KeyRing = getSecrets().encryptionKeys): boolean {
  return parse(sealed).keyId !== newestKey(ring).id;
}

/** Returns the id of the key that encrypts a value. @throws SealError `malformed` */
export function keyIdOf(sealed: Sealed): string {
  return parse(sealed).keyId;
}

function parse(sealed: string): { keyId: string; nonce: Buffer; content: Buffer } {
  const [, keyId, nonce, content] = FORM.exec(sealed) ?? [];
  if (keyId === undefined || nonce === undefined || content === undefined) {
    throw new SealError("malformed", "A stored secret has an unknown format. Enter it again.");
  }
  return { keyId, nonce: Buffer.from(nonce, "base64url"), content: Buffer.from(content, "base64url") };
}

/** A list in JSON, since names joined by a separator could be split in several ways. */
function toBytes({ workspaceId, recordId, field }: SealContext): Buffer {
  return Buffer.from(JSON.stringify([VERSION, workspaceId, recordId, field]));
}

function newestKey(ring: KeyRing): EncryptionKey {
  const [newest] = ring;
  if (!newest) throw new Error("The key ring is empty.");
  return newest;
}
