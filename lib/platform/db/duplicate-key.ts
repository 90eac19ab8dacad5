import "server-only";
import { MongoBulkWriteError, MongoServerError } from "mongodb";

/** MongoDB's code for a unique key that is taken. */
const DUPLICATE_KEY = 11_000;

/**
 * True when a unique index refused a write: somebody was there before.
 * @param field of the index that refused; any index without it
 */
export function isDuplicateKey(error: unknown, field?: string): error is MongoServerError {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) return false;
  // Not every server names the key in a field of its own; all name the index in the message.
  return field === undefined || error.message.includes(`${field}_1`);
}

/**
 * Of a bulk write, which writes a unique index has refused.
 * @returns their places in it; null when anything else has failed
 */
export function indexesOfDuplicates(error: unknown): number[] | null {
  if (!(error instanceof MongoBulkWriteError)) return null;
  const failures = [error.writeErrors].flat();
  const areAll = failures.length > 0 && failures.every(({ code }) => code === DUPLICATE_KEY);
  return areAll ? failures.map(({ index }) => index) : null;
}
