import pino from "pino";
import { redact } from "@/lib/log/redact";

/** Fields that nobody should log; where it happens all the same, their value is masked. */
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

/** Structured, one line an entry, to standard output. Log ids and codes; never bodies, secrets or results (T107). */
export const log = pino({
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: "***" },
  // An error's own fields may carry a driver's connection options: only these three are written, and in drivers'
  // messages, which the stack repeats, secrets are masked.
  serializers: {
    err: (error: unknown) =>
      error instanceof Error
        ? { type: error.name, message: redact(error.message), stack: error.stack && redact(error.stack) }
        : { type: typeof error },
  },
});
