import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { Semaphore } from "@/lib/platform/process/semaphore";
import { sharedState } from "@/lib/platform/process/shared-state";
import { HASHES_AT_ONCE, inHashingThread } from "./hashing-threads";

/** OWASP's first recommendation for Argon2id (T5). */
const PARAMETERS = {
  algorithm: 2, // Argon2id
  version: 1, // 0x13, the current one
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const;
const STORED_PREFIX = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`;
/** Who waits longer than this line takes has given up: 64 wait, the next is told to come again (T6). */
const QUEUE_MAX = 64;
const RETRY_AFTER_SECONDS = 2;

/** Hash of a password nobody has, so that an unknown account costs what a known one costs (T1, T2). */
let decoy: Promise<string> | undefined;

export async function hashPassword(password: string): Promise<string> {
  return inHashingThread({ type: "hash", password, parameters: PARAMETERS });
}

/**
 * Whether the password fits. With no hash (unknown account, or one without a password) it does the same work
 * and answers false.
 */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword("\u0000 not a password that anybody can type");
  const against = stored ?? (await decoy);
  const fits = await inHashingThread<boolean>({ type: "verify", password, stored: against });
  return stored !== null && fits;
}

/** True when the hash was made with other parameters than today's and should be made again at the next login. */
export function isOutdated(stored: string): boolean {
  return !stored.startsWith(STORED_PREFIX);
}

/**
 * Does what will need a hash, unless too many do. Asked before anything else is: whoever is turned away has cost no
 * look-up, no point of a limit and no hash.
 * @throws AppError `unavailable` when the line is full
 */
export async function inLineForHashing<T>(work: () => Promise<T>): Promise<T> {
  const line = sharedState("hashing-line", () => new Semaphore(HASHES_AT_ONCE + QUEUE_MAX, 0));
  const release = await line.acquire().catch((cause) => {
    throw new AppError("unavailable", "Too many people are signing in right now. Try again in a moment.", {
      cause,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  });
  try {
    return await work();
  } finally {
    release();
  }
}
