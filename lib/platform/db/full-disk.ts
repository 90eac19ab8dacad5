import "server-only";
import { MongoServerError } from "mongodb";

/** MongoDB's OutOfDiskSpace. */
const OUT_OF_DISK = 14_031;

/** Returns whether the store had no room for a write. */
export function isFullDisk(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === OUT_OF_DISK;
}
