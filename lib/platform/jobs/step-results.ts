import { z } from "zod";
import { retryAfterMs } from "./backoff";
import type { RawAnswer } from "./call";

/** An error in the SDK's form, with its additional fields. */
export type JobError = { name: string; message: string } & Record<string, unknown>;

const operation = z.looseObject({
  // SHA-1 in hex. It becomes part of a field's path in the store.
  id: z.string().regex(/^[0-9a-f]{40}$/),
  op: z.string(),
  name: z.string().nullish(),
  opts: z.record(z.string(), z.unknown()).nullish(),
  data: z.unknown().optional(),
  error: z.unknown().optional(),
});
export type Operation = z.output<typeof operation>;

/** Parsed response of a function (docs/develop/jobs.md). */
export type Answer =
  | { kind: "returned"; data: unknown }
  | { kind: "operations"; operations: Operation[]; version: number; isFinal: boolean; retryInMs: number | null }
  | { kind: "failed"; error: JobError; isFinal: boolean; retryInMs: number | null };

/** Parses a response. Anything that the SDK did not send counts as a connection failure and is retried. */
export function readAnswer({ status, headers, text }: RawAnswer, now: number): Answer {
  const header = (name: string) => {
    const value = headers[name];
    return typeof value === "string" ? value : null;
  };
  const isSdk = header("x-inngest-sdk") !== null;
  const noRetry = header("x-inngest-no-retry");
  const isFinal = noRetry === "true";
  const retryInMs = retryAfterMs(header("retry-after"), now);
  const failed = (error: JobError): Answer => ({ kind: "failed", error, isFinal, retryInMs });
  if (text === null) return failed({ name: "Error", message: "The function's response is too large." });
  const body = parse(text);
  if (!isSdk)
    return failed({ name: "Error", message: `The application returned ${status}, not a response of the job SDK.` });
  if (status === 206) {
    const operations = z.array(operation).safeParse(Array.isArray(body) ? body : [body]);
    if (!operations.success)
      return failed({ name: "Error", message: "The function's response has an unknown format." });
    const version = Number(header("x-inngest-req-version") ?? "-1");
    return { kind: "operations", operations: operations.data, version, isFinal, retryInMs };
  }
  if (status === 200) return { kind: "returned", data: body ?? null };
  return failed(toError(body, `The function returned ${status}.`));
}

/** Converts a thrown value of any form to an error with at least a name and a message. */
export function toError(value: unknown, fallback: string): JobError {
  if (typeof value !== "object" || value === null) {
    return { name: "Error", message: typeof value === "string" ? value : fallback };
  }
  const { name, message, error } = value as Record<string, unknown>;
  const said = typeof message === "string" ? message : typeof error === "string" ? error : fallback;
  return { ...value, name: typeof name === "string" ? name : "Error", message: said };
}

function parse(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
