import { z } from "zod";
import { parseCronTrigger, readCron } from "./cron";
import { durationMs } from "./duration";
import { type Expression, readExpression, readPath, type Scope } from "./expressions";
import { CANCELS_MAX, CONCURRENCY_LIMITS_MAX, RETRIES_DEFAULT, RETRIES_MAX, TRIGGERS_MAX, WAIT_MAX_MS } from "./limits";

/** A function as the executor uses it: its triggers, cancellations and concurrency limits. */
export type JobFunction = {
  /** `<application>-<function>`. */
  id: string;
  /** Maximum attempts of each step, including the first. */
  attemptsMax: number;
  events: { name: string; expression: Expression | null }[];
  crons: { text: string; expression: string; zone: string }[];
  cancels: { event: string; expression: Expression | null; validMs: number }[];
  /** Returns the value that identifies duplicate events instead of the event id. */
  idempotency: ((scope: Scope) => unknown) | null;
  concurrency: { limit: number; isShared: boolean; key: ((scope: Scope) => unknown) | null }[];
};

/**
 * Thrown for a function that the embedded executor cannot run as declared. The message names the function and the
 * option.
 */
export class FunctionRefused extends Error {
  constructor(id: string, reason: string) {
    super(`The function ${id} cannot run on the embedded executor: ${reason}`);
    this.name = "FunctionRefused";
  }
}

const eventName = z.string().refine((name) => !name.includes("*"), "names of events with * are not supported");
const trigger = z.union([
  z.strictObject({ event: eventName, expression: z.string().optional() }),
  z.strictObject({ cron: z.string() }),
]);
const concurrencyLimit = z.strictObject({
  limit: z.int().min(1),
  key: z.string().optional(),
  scope: z.enum(["fn", "env", "account"]).optional(),
});
/** Strict, because an unknown option, above all a limit, would silently have no effect. */
const functionConfig = z.strictObject({
  id: z.string(),
  name: z.string().optional(),
  triggers: z.array(trigger).max(TRIGGERS_MAX),
  steps: z.strictObject({
    step: z.looseObject({ retries: z.object({ attempts: z.int().min(0).max(RETRIES_MAX).optional() }).optional() }),
  }),
  idempotency: z.string().optional(),
  concurrency: z
    .union([
      z
        .int()
        .min(1)
        .transform((limit) => [{ limit, key: undefined, scope: undefined }]),
      concurrencyLimit.transform((one) => [one]),
      z.array(concurrencyLimit).max(CONCURRENCY_LIMITS_MAX),
    ])
    .optional(),
  cancel: z
    .array(z.strictObject({ event: eventName, if: z.string().optional(), timeout: z.string().optional() }))
    .max(CANCELS_MAX)
    .optional(),
});

/**
 * Parses a function's declaration from the SDK's sync.
 * @throws FunctionRefused for options that the embedded executor does not support: batches, debounce, throttle, rate
 *   limits ...
 */
export function readFunction(config: unknown): JobFunction {
  const id = z.object({ id: z.string() }).parse(config).id;
  const parsed = functionConfig.safeParse(config);
  if (!parsed.success) throw new FunctionRefused(id, reasonOf(parsed.error));
  try {
    return toFunction(parsed.data);
  } catch (error) {
    throw new FunctionRefused(id, error instanceof Error ? error.message : String(error));
  }
}

function toFunction({
  id,
  triggers,
  steps,
  idempotency,
  concurrency,
  cancel,
}: z.output<typeof functionConfig>): JobFunction {
  return {
    id,
    attemptsMax: (steps.step.retries?.attempts ?? RETRIES_DEFAULT) + 1,
    events: triggers.flatMap((one) =>
      "event" in one ? [{ name: one.event, expression: one.expression ? readExpression(one.expression) : null }] : [],
    ),
    crons: triggers.flatMap((one) => ("cron" in one ? [toCron(one.cron)] : [])),
    cancels: (cancel ?? []).map((one) => ({
      event: one.event,
      expression: one.if ? readExpression(one.if) : null,
      validMs: toValidMs(one.timeout),
    })),
    idempotency: idempotency ? readPath(idempotency) : null,
    concurrency: (concurrency ?? []).map(({ limit, key, scope }) => ({
      limit,
      isShared: scope === "env" || scope === "account",
      key: key ? toKey(key) : null,
    })),
  };
}

function toCron(text: string): JobFunction["crons"][number] {
  const cron = parseCronTrigger(text);
  readCron(cron.expression, cron.zone);
  return { text, ...cron };
}

/** Returns the key of a concurrency limit. Quoted text is a literal: a limit that several functions share. */
function toKey(key: string): (scope: Scope) => unknown {
  const [, literal] = /^["'](.*)["']$/.exec(key.trim()) ?? [];
  return literal === undefined ? readPath(key) : () => literal;
}

function toValidMs(timeout: string | undefined): number {
  if (timeout === undefined) return WAIT_MAX_MS;
  const ms = durationMs(timeout, Date.now());
  if (ms === null) throw new Error(`the cancellation timeout ${timeout} is not a duration of up to a year.`);
  return ms;
}

function reasonOf(error: z.ZodError): string {
  return error.issues
    .map((issue) =>
      issue.code === "unrecognized_keys"
        ? `it uses ${issue.keys.join(", ")}`
        : `${issue.path.join(".")}: ${issue.message}`,
    )
    .join("; ");
}
