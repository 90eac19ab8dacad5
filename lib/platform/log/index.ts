import pino from "pino";
import { isStoreAway } from "@/lib/platform/db/away";
import { logFields } from "@/lib/platform/log/context";
import { redact } from "@/lib/platform/log/redact";

/** Fields that must not be logged; if they are, their value is masked. */
const SECRET_FIELDS = [
  "apiKey",
  "authorization",
  "cookie",
  "credentials",
  "key",
  "passphrase",
  "password",
  "passwordHash",
  "privateKey",
  "secret",
  "secrets",
  "sessionToken",
  "setCookie",
  "token",
];

/** pino's number of "error". */
const ERROR_LEVEL = 50;
/** Errors of our code, whose stack shows the faulty line at every level. */
const FAULTS = ["RangeError", "ReferenceError", "AssertionError"];

/** An expected failure, such as a receiver or a source that does not answer: a stack would not help. */
class Brief {
  constructor(readonly error: Error) {}
}

function isExpected(error: Error): boolean {
  // fetch wraps network errors into a TypeError.
  return error.name === "TypeError" ? error.cause !== undefined : !FAULTS.includes(error.name);
}

function toBrief({ error }: Brief): Record<string, string> {
  const { cause } = error;
  return {
    type: error.name,
    message: redact(error.message),
    ...(cause instanceof Error && { cause: redact(cause.message) }),
  };
}

/**
 * Structured log, one line per entry, on standard output. Log ids and codes; never bodies, secrets or results (T107).
 * Lines of a request have its id, user, workspace and duration. Below the level error an expected failure has no stack.
 * An unreachable store is a warning at most: an error line means a fault of this server (docs/operate/monitoring.md).
 */
export const log = pino({
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  mixin: logFields,
  hooks: {
    logMethod(input, method, level) {
      const [entry, ...rest] = input as unknown[] as [{ err?: unknown } | undefined, ...unknown[]];
      if (level === ERROR_LEVEL && isStoreAway(entry?.err)) {
        this.warn(entry, ...(rest as [string]));
        return;
      }
      if (level < ERROR_LEVEL && entry?.err instanceof Error && isExpected(entry.err)) {
        (input as unknown[])[0] = { ...entry, err: new Brief(entry.err) };
      }
      method.apply(this, input);
    },
  },
  redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: "***" },
  // An error's other fields may contain a driver's connection options: only these three are written, and secrets in
  // drivers' messages, which the stack repeats, are masked.
  serializers: {
    err: (error: unknown) =>
      error instanceof Brief
        ? toBrief(error)
        : error instanceof Error
          ? { type: error.name, message: redact(error.message), stack: error.stack && redact(error.stack) }
          : { type: typeof error },
  },
});
