import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Credentials, deriveCredentials, isPasswordOf } from "./scram.ts";

/** The only user of a store that listens on a port. */
export const STORE_USER = "millrace";
/** 192 bits, which cannot be guessed at any rate. */
const PASSWORD_BYTES = 24;

export type Access = {
  credentials: Credentials;
  /** Undefined when only the derived form is known. */
  password: string | undefined;
  /** True when the password was created just now and still has to be shown. */
  isNew: boolean;
};

function credentialsFile(dataDir: string): string {
  return join(dataDir, "store", "credentials.json");
}

/**
 * Returns the credentials of a data directory: those of the given password, which is stored; otherwise the stored ones;
 * otherwise those of a new password.
 * @throws Error when the credentials file cannot be parsed
 */
export function openAccess(dataDir: string, given: string | undefined): Access {
  const file = credentialsFile(dataDir);
  const kept = existsSync(file) ? readCredentials(file) : undefined;
  if (kept !== undefined && (given === undefined || isPasswordOf(kept, given)))
    return { credentials: kept, password: given, isNew: false };
  const password = given ?? randomBytes(PASSWORD_BYTES).toString("base64url");
  const credentials = deriveCredentials(STORE_USER, password);
  writeCredentials(file, credentials);
  return { credentials, password, isNew: given === undefined };
}

function readCredentials(file: string): Credentials {
  chmodSync(file, 0o600);
  try {
    const { user, iterations, salt, storedKey, serverKey } = JSON.parse(readFileSync(file, "utf8"));
    const read: Credentials = {
      user,
      iterations,
      salt: Buffer.from(salt, "base64"),
      storedKey: Buffer.from(storedKey, "base64"),
      serverKey: Buffer.from(serverKey, "base64"),
    };
    if (typeof user !== "string" || !Number.isSafeInteger(iterations) || read.storedKey.length !== 32)
      throw new Error();
    return read;
  } catch (cause) {
    throw new Error(`${file} is damaged. Remove it: the next start makes a new password, or takes STORE_PASSWORD.`, {
      cause,
    });
  }
}

/** Writes the credentials file atomically, readable by its owner only from the beginning. */
function writeCredentials(file: string, { user, iterations, salt, storedKey, serverKey }: Credentials): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = JSON.stringify({
    mechanism: "SCRAM-SHA-256",
    user,
    iterations,
    salt: salt.toString("base64"),
    storedKey: storedKey.toString("base64"),
    serverKey: serverKey.toString("base64"),
  });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${text}\n`, { mode: 0o600, flush: true });
  renameSync(temporary, file);
}
