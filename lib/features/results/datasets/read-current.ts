import { AppError } from "@/lib/platform/http/errors";

/** Rows that a refresh has replaced since they were looked up. */
export class RowsReplacedError extends AppError {
  constructor() {
    super("conflict", "These rows were replaced. Try again.");
  }
}

/** Refreshes that may replace the rows during one read, one after another. */
const TRIES = 3;

/**
 * Calls `read`, which looks up a dataset and queries its rows, again if a refresh has replaced the rows in between.
 * @param read receives false for the first call
 * @throws AppError unavailable if they were replaced during each call; errors of `read`
 */
export async function readCurrent<T>(read: (isAgain: boolean) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read(tries > 1);
    } catch (error) {
      if (!(error instanceof RowsReplacedError)) throw error;
      if (tries < TRIES) continue;
      throw new AppError("unavailable", "The data changed while it was read. Try again.", {
        cause: error,
        retryAfterSeconds: 1,
      });
    }
  }
}
