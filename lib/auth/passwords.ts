import "server-only";
import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { AppError } from "@/lib/http/errors";
import { Semaphore } from "@/lib/process/semaphore";

/** OWASP's first recommendation for Argon2id (T5). */
const PARAMETERS = {
  algorithm: 2, // Argon2id
  version: 1, // 0x13, the current one
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const;
const STORED_PREFIX = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`;
/** Each hash takes 19 MiB and a core: as many at once as there are cores, a short queue, then 503 (T6). */
const QUEUE_MAX = 64;
const RETRY_AFTER_SECONDS = 2;

const slots = new Semaphore(availableParallelism(), QUEUE_MAX);

/** Hash of a password nobody has, so that an unknown account costs what a known one costs (T1, T2). */
let decoy: Promise<string> | undefined;

export async function hashPassword(password: string): Promise<string> {
  return withSlot(() => hash(password, PARAMETERS));
}

/**
 * Whether the password fits. With no hash (unknown account, or one without a password) it does the same work
 * and answers false.
 */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword("\u0000 not a password that anybody can type");
  const against = stored ?? (await decoy);
  const fits = await withSlot(() => verify(against, password).catch(() => false));
  return stored !== null && fits;
}

/** True when the hash was made with other parameters than today's and should be made again at the next login. */
export function isOutdated(stored: string): boolean {
  return !stored.startsWith(STORED_PREFIX);
}

async function withSlot<T>(work: () => Promise<T>): Promise<T> {
  const release = await slots.acquire().catch((cause) => {
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
