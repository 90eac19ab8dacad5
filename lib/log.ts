import pino from "pino";

/** Structured, one line an entry, to standard output. Log ids and codes; never bodies, secrets or results (T107). */
export const log = pino({
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  // An error's own fields may carry a driver's connection options: only these three are written.
  serializers: {
    err: (error: unknown) =>
      error instanceof Error
        ? { type: error.name, message: error.message, stack: error.stack }
        : { type: typeof error },
  },
});
