import "server-only";
import { createHash, hkdfSync, randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import {
  ENCRYPTION_KEY_BYTES,
  type EncryptionKey,
  type Env,
  env,
  parseKeyRing,
  SECRET_BYTES_MIN,
} from "@/lib/platform/env";
import { serverMember } from "@/lib/platform/process/server-context";

const SECRETS_FILE = "secrets.json";
const OWNER_READS_AND_WRITES = 0o600;
const OWNER_ONLY_FOLDER = 0o700;
const DERIVED_KEY_BYTES = 32;

export type Secrets = {
  /** Signs and derives keys; see `deriveKey`. */
  authSecret: string;
  /** Keys, newest first. */
  encryptionKeys: EncryptionKey[];
};

/** Thrown if the secrets are missing or unusable although data needs them. The message says what to do. */
export class SecretsMissing extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(`${what} ${WHAT_TO_DO}`, options);
    this.name = "SecretsMissing";
  }
}

const WHAT_TO_DO =
  "Restore secrets.json (or AUTH_SECRET and ENCRYPTION_KEYS) of this data from your backup. If they are lost, run `npm run secrets:new`; stored passwords and tokens must then be entered again.";

type Settings = Pick<Env, "DATA_DIR" | "AUTH_SECRET" | "ENCRYPTION_KEYS">;

const secretsFile = z.object({
  authSecret: z.string().min(SECRET_BYTES_MIN),
  encryptionKeys: z.string().transform(parseKeyRing),
});

const secretsCache = serverMember("secrets", () => ({ secrets: null as Secrets | null }));

/**
 * Returns the secrets of this installation: from the settings, or created on the first start of an embedded one and
 * stored in DATA_DIR.
 * @throws SecretsMissing if they are missing or cannot be read; EnvError if a required setting is absent
 */
export function getSecrets(): Secrets {
  const cache = secretsCache();
  cache.secrets ??= loadSecrets(env());
  return cache.secrets;
}

/**
 * Derives a separate key for each purpose, equal on all servers that share AUTH_SECRET (RFC 5869).
 * @param label names the purpose, and never changes once data depends on it
 * @returns 32 bytes
 */
export function deriveKey(label: string): Buffer {
  return Buffer.from(hkdfSync("sha256", getSecrets().authSecret, "", `millrace/${label}`, DERIVED_KEY_BYTES));
}

/**
 * Loads each secret from the settings, else from DATA_DIR, where it creates the file if there is neither a file nor a
 * store. Of two concurrent first starts one creates it and both read it.
 * @param mayCreate also beside a store: it is unused, or the operator wants new secrets
 * @throws SecretsMissing if there is a store without the file, or the file cannot be read
 */
export function loadSecrets(settings: Settings, { mayCreate = false } = {}): Secrets {
  const { AUTH_SECRET, ENCRYPTION_KEYS } = settings;
  if (AUTH_SECRET !== undefined && ENCRYPTION_KEYS !== undefined) {
    return { authSecret: AUTH_SECRET, encryptionKeys: ENCRYPTION_KEYS };
  }
  const kept = readOrCreate(settings.DATA_DIR, mayCreate);
  return { authSecret: AUTH_SECRET ?? kept.authSecret, encryptionKeys: ENCRYPTION_KEYS ?? kept.encryptionKeys };
}

/** Creates the secrets beside an unused store, and caches them for this process. */
export function createSecrets(): void {
  secretsCache().secrets = loadSecrets(env(), { mayCreate: true });
}

/**
 * Replaces lost secrets with new ones.
 * @returns the new path of the old file; null if there was none
 */
export function replaceSecrets(settings: Settings, now = new Date()): string | null {
  const file = secretsPath(settings.DATA_DIR);
  const aside = `${file}.${now.toISOString().replace(/[:.]/g, "-")}`;
  const wasThere = existsSync(file);
  if (wasThere) renameSync(file, aside);
  loadSecrets(settings, { mayCreate: true });
  return wasThere ? aside : null;
}

function readOrCreate(dataDir: string, mayCreate: boolean): Secrets {
  ensureDataDir(dataDir);
  const file = secretsPath(dataDir);
  const kept = read(file);
  if (kept) return kept;
  if (!mayCreate && hasStore(dataDir)) {
    // Another first start may have created both between the two checks.
    const made = read(file);
    if (made) return made;
    throw new SecretsMissing(`${file} is missing, but the store was written with it.`);
  }
  return create(file);
}

function secretsPath(dataDir: string): string {
  return join(/* turbopackIgnore: true */ dataDir, SECRETS_FILE);
}

/** Returns whether the secrets file exists, usable or not. */
export function hasSecretsFile({ DATA_DIR }: Pick<Settings, "DATA_DIR">): boolean {
  return existsSync(secretsPath(DATA_DIR));
}

/** Returns whether a data folder has an embedded store that was written to, or one that is being restored. */
function hasStore(dataDir: string): boolean {
  return ["millrace.db", "millrace.db.restore.json"].some((name) => {
    const path = join(/* turbopackIgnore: true */ dataDir, "store", name);
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  });
}

function read(file: string): Secrets | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (isErrorCode(error, "ENOENT")) return null;
    throw new SecretsMissing(`${file} can't be read. The user that runs Millrace must own it.`, {
      cause: error,
    });
  }
  try {
    chmodSync(file, OWNER_READS_AND_WRITES);
  } catch (error) {
    // A mounted volume may belong to another user, but the file can be read.
    if (!isErrorCode(error, "EPERM") && !isErrorCode(error, "EROFS")) throw error;
  }
  try {
    return secretsFile.parse(JSON.parse(text));
  } catch (error) {
    // New keys would silently leave all encrypted passwords unreadable.
    throw new SecretsMissing(`${file} is ${text.trim() === "" ? "empty" : "damaged"}.`, { cause: error });
  }
}

function create(file: string): Secrets {
  const key = randomBytes(ENCRYPTION_KEY_BYTES).toString("base64");
  const id = createHash("sha256").update(key).digest("hex").slice(0, 8);
  const content = { authSecret: randomBytes(SECRET_BYTES_MIN).toString("base64url"), encryptionKeys: `${id}:${key}` };
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  writeDurably(temporary, `${JSON.stringify(content, null, 2)}\n`);
  try {
    // Unlike a rename, a link never replaces a file that another start has just created.
    linkSync(temporary, file);
  } catch (error) {
    if (!isErrorCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  const made = read(file);
  if (!made) throw new Error(`${file} disappeared during startup.`);
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
    // A mounted volume may belong to another user; its file is still private to this one.
    if (!isErrorCode(error, "EPERM")) throw error;
  }
}

function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
