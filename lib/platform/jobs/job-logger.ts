import "server-only";
import { RetryAfterError } from "inngest";
import { isStoreAway } from "@/lib/platform/db/away";
import { AppError } from "@/lib/platform/http/errors";

type Line = (...input: unknown[]) => void;
/** The methods of a logger that the job runner's SDK calls. */
type Logger = { debug: Line; info: Line; warn: Line; error: Line; child: (fields: Record<string, unknown>) => Logger };

/** A failure outside of this server, after which a job is retried, such as a receiver that answers 500. */
export class OutsideFailure extends Error {
  override name = "OutsideFailure";
}

/**
 * Returns a logger for the SDK, which logs everything a function throws as an error. Expected failures become warnings,
 * since an error line means a fault of this server (docs/operate/monitoring.md).
 */
export function jobLogger(to: Logger): Logger {
  return {
    debug: (...input) => to.debug(...input),
    info: (...input) => to.info(...input),
    warn: (...input) => to.warn(...input),
    error: (...input) => (isExpected(input[0]) ? to.warn(...input) : to.error(...input)),
    child: (fields) => jobLogger(to.child(fields)),
  };
}

function isExpected(entry: unknown): boolean {
  const error = typeof entry === "object" && entry !== null && "err" in entry ? entry.err : entry;
  if (error instanceof AppError) return error.kind !== "internal";
  return error instanceof OutsideFailure || error instanceof RetryAfterError || isStoreAway(error);
}
