import "server-only";
import { createHash, hkdfSync, randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ENCRYPTION_KEY_BYTES, type EncryptionKey, type Env, env, parseKeyRing, SECRET_BYTES_MIN } from "@/lib/env";
import { sharedState } from "@/lib/process/shared-state";

const SECRETS_FILE = "secrets.json";
const OWNER_READS_AND_WRITES = 0o600;
const OWNER_ONLY_FOLDER = 0o700;
const DERIVED_KEY_BYTES = 32;

export type Secrets = {
  /** Signs and derives; see `deriveKey`. */
  authSecret: string;
  /** The newest first. */
  encryptionKeys: EncryptionKey[];
};

type Settings = Pick<Env, "DATA_DIR" | "AUTH_SECRET" | "ENCRYPTION_KEYS">;

const secretsFile = z.object({
  authSecret: z.string().min(SECRET_BYTES_MIN),
  encryptionKeys: z.string().transform(parseKeyRing),
});

/**
 * The secrets of this installation: from the settings, or made on the first start of an embedded one and kept in
 * DATA_DIR.
 * @throws Error when the file of the secrets cannot be read; EnvError when a needed setting is absent
 */
export function getSecrets(): Secrets {
  const cache = sharedState("secrets", () => ({ secrets: null as Secrets | null }));
  cache.secrets ??= loadSecrets(env());
  return cache.secrets;
}

/**
 * A key of its own for each purpose, equal on all servers that share AUTH_SECRET (RFC 5869).
 * @param label names the purpose, and never changes once something depends on it
 * @returns 32 bytes
 */
export function deriveKey(label: string): Buffer {
  return Buffer.from(hkdfSync("sha256", getSecrets().authSecret, "", `millrace/${label}`, DERIVED_KEY_BYTES));
}

/**
 * Takes each secret from the settings, else from DATA_DIR, where it makes the file when there is none. Of two first
 * starts at once one makes it and both read it.
 * @throws Error when the file cannot be read or written
 */
export function loadSecrets(settings: Settings): Secrets {
  const { AUTH_SECRET, ENCRYPTION_KEYS } = settings;
  if (AUTH_SECRET !== undefined && ENCRYPTION_KEYS !== undefined) {
    return { authSecret: AUTH_SECRET, encryptionKeys: ENCRYPTION_KEYS };
  }
  const kept = readOrCreate(settings.DATA_DIR);
  return { authSecret: AUTH_SECRET ?? kept.authSecret, encryptionKeys: ENCRYPTION_KEYS ?? kept.encryptionKeys };
}

function readOrCreate(dataDir: string): Secrets {
  ensureDataDir(dataDir);
  const file = join(/* turbopackIgnore: true */ dataDir, SECRETS_FILE);
  return read(file) ?? create(file);
}

function read(file: string): Secrets | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (isErrorCode(error, "ENOENT")) return null;
    throw new Error(`${file} cannot be read. It must belong to the user that runs Millrace.`, { cause: error });
  }
  chmodSync(file, OWNER_READS_AND_WRITES);
  try {
    return secretsFile.parse(JSON.parse(text));
  } catch (error) {
    // Making new ones would leave all sealed passwords unreadable, without a word.
    throw new Error(`${file} is damaged. Put it back from a backup: it opens the stored passwords.`, { cause: error });
  }
}

function create(file: string): Secrets {
  const key = randomBytes(ENCRYPTION_KEY_BYTES).toString("base64");
  const id = createHash("sha256").update(key).digest("hex").slice(0, 8);
  const content = { authSecret: randomBytes(SECRET_BYTES_MIN).toString("base64url"), encryptionKeys: `${id}:${key}` };
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  writeDurably(temporary, `${JSON.stringify(content, null, 2)}\n`);
  try {
    // Unlike a rename, a link never replaces what another start has just made.
    linkSync(temporary, file);
  } catch (error) {
    if (!isErrorCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  const made = read(file);
  if (!made) throw new Error(`${file} has vanished while Millrace started.`);
  return made;
}

function writeDurably(file: string, text: string): void {
  const descriptor = openSync(file, "wx", OWNER_READS_AND_WRITES);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function ensureDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: OWNER_ONLY_FOLDER });
  try {
    chmodSync(dataDir, OWNER_ONLY_FOLDER);
  } catch (error) {
    // A mounted volume may belong to another user; the file in it is still ours alone.
    if (!isErrorCode(error, "EPERM")) throw error;
  }
}

function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
