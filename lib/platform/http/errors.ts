import { toPathText } from "../../base/values/problem-path.ts";

/**
 * Every failure that callers may get, with its HTTP status (docs/develop/api.md, Common rules). The keys are the stable
 * `code` values of the envelope.
 */
export const ERROR_STATUS = {
  invalid_request: 400,
  query_failed: 400,
  unknown_model: 400,
  read_only: 400,
  not_allowed: 400,
  address_refused: 400,
  unsupported: 400,
  unauthenticated: 401,
  invalid_credentials: 401,
  forbidden: 403,
  not_found: 404,
  not_published: 404,
  method_not_allowed: 405,
  conflict: 409,
  email_taken: 409,
  last_owner: 409,
  in_use: 409,
  already_running: 409,
  confirmation_required: 409,
  cancelled: 409,
  gone: 410,
  precondition_failed: 412,
  repo_host_not_configured: 412,
  too_large: 413,
  unsupported_media_type: 415,
  build_failed: 422,
  rate_limited: 429,
  internal: 500,
  source_unreachable: 502,
  unavailable: 503,
  sandbox_unavailable: 503,
  timeout: 504,
  storage_full: 507,
} as const;

export type ErrorKind = keyof typeof ERROR_STATUS;

/** One problem of the input: `path` is the field, dotted, empty for the whole body. */
export type InputProblem = { path: string; message: string };
export type ErrorDetails = InputProblem[] | Record<string, unknown>[] | Record<string, unknown>;

/** Maximum number of problems in a response: a person corrects a few at a time. */
export const PROBLEMS_MAX = 100;

type AppErrorOptions = ErrorOptions & {
  details?: ErrorDetails;
  /** Seconds until a retry makes sense; becomes the Retry-After header. */
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
};

/** Unique per process, for all bundles' copies of this module. */
const BRAND = Symbol.for("millrace.app-error");

/**
 * An expected failure. `message` and `details` reach the caller; `cause` only reaches the log. An `instanceof` works
 * across bundles: a shared object, such as a connection pool, throws the copy of the bundle that filled it.
 */
export class AppError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that extends this one is asked by the same method.
    if (this !== AppError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === "object" && value !== null && BRAND in value;
  }
  readonly [BRAND] = true;
  readonly kind: ErrorKind;
  readonly details?: ErrorDetails;
  readonly retryAfterSeconds?: number;
  readonly headers?: Record<string, string>;

  constructor(kind: ErrorKind, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.kind = kind;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers;
  }

  get status(): number {
    return ERROR_STATUS[this.kind];
  }
}

/** Returns the first problems that a schema found, with their paths below `place`. */
export function toInputProblems(
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
  place: readonly string[] = [],
): InputProblem[] {
  return issues.slice(0, PROBLEMS_MAX).map(({ path, message }) => ({ path: toPathText([...place, ...path]), message }));
}

/** Creates the error for an invalid field of a request. */
export function invalidInput(path: string, message: string): AppError {
  return new AppError("invalid_request", message, { details: [{ path, message }] });
}
