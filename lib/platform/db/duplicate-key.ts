import "server-only";
import { MongoBulkWriteError, MongoServerError } from "mongodb";

/** MongoDB's code for a duplicate key. */
const DUPLICATE_KEY = 11_000;

/**
 * Returns whether a unique index rejected a write because the value exists.
 * @param field of the index that rejected it; any index without it
 */
export function isDuplicateKey(error: unknown, field?: string): error is MongoServerError {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) return false;
  // Not every server reports the key in a separate field; all name the index in the message.
  return field === undefined || error.message.includes(`${field}_1`);
}

/**
 * Finds the writes of a bulk write that a unique index rejected.
 * @returns their indexes; null if anything else failed
 */
export function indexesOfDuplicates(error: unknown): number[] | null {
  if (!(error instanceof MongoBulkWriteError)) return null;
  const failures = [error.writeErrors].flat();
  const areAll = failures.length > 0 && failures.every(({ code }) => code === DUPLICATE_KEY);
  return areAll ? failures.map(({ index }) => index) : null;
}
