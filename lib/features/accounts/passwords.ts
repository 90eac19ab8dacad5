import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { Semaphore } from "@/lib/platform/process/semaphore";
import { serverMember } from "@/lib/platform/process/server-context";
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
/**
 * Maximum length of the queue: 64 requests wait, the next is told to retry later (T6). Longer waits make clients give
 * up.
 */
const QUEUE_MAX = 64;
const RETRY_AFTER_SECONDS = 2;

/** Hash of an unused password, so that an unknown account takes as long as a known one (T1, T2). */
let decoy: Promise<string> | undefined;

export async function hashPassword(password: string): Promise<string> {
  return inHashingThread({ type: "hash", password, parameters: PARAMETERS });
}

/**
 * Returns whether the password is correct. Without a hash (an unknown account, or one without a password) it does the
 * same work and returns false.
 */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword("\u0000 not a password that anyone can type");
  const against = stored ?? (await decoy);
  const fits = await inHashingThread<boolean>({ type: "verify", password, stored: against });
  return stored !== null && fits;
}

/** Returns whether the hash has outdated parameters and should be replaced at the next login. */
export function isOutdated(stored: string): boolean {
  return !stored.startsWith(STORED_PREFIX);
}

const hashingQueue = serverMember("hashingQueue", () => new Semaphore(HASHES_AT_ONCE + QUEUE_MAX, 0));

/**
 * Runs work that needs a hash, unless the queue is full. Call it first, so that a rejected request costs no look-up, no
 * rate-limit point and no hash.
 * @throws AppError `unavailable` if the queue is full
 */
export async function inLineForHashing<T>(work: () => Promise<T>): Promise<T> {
  const release = await hashingQueue()
    .acquire()
    .catch((cause) => {
      throw new AppError("unavailable", "The server is busy. Try again in a moment.", {
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
