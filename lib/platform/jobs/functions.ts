import { z } from "zod";
import { parseCronTrigger, readCron } from "./cron";
import { CONCURRENCY_LIMITS_MAX, RETRIES_DEFAULT, RETRIES_MAX, TRIGGERS_MAX } from "./limits";
import type { EventPayload } from "./model";

/** Name of the event of a failed run, which starts the `onFailure` of its function. */
export const FAILED_EVENT = "inngest/function.failed";

/** A function as the executor uses it: its triggers and concurrency limits. */
export type JobFunction = {
  /** `<application>-<function>`. */
  id: string;
  /** Maximum attempts of each step, including the first. */
  attemptsMax: number;
  /** Names of the events that start it. */
  events: string[];
  /** Ids of functions whose failed runs start it. */
  failuresOf: string[];
  crons: { text: string; expression: string; zone: string }[];
  concurrency: { limit: number; key: ((event: EventPayload) => unknown) | null }[];
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
const concurrencyLimit = z.strictObject({ limit: z.int().min(1), key: z.string().optional() });
/** Strict, because an unknown option, above all a limit, would silently have no effect. */
const functionConfig = z.strictObject({
  id: z.string(),
  name: z.string().optional(),
  triggers: z.array(trigger).max(TRIGGERS_MAX),
  steps: z.strictObject({
    step: z.looseObject({ retries: z.object({ attempts: z.int().min(0).max(RETRIES_MAX).optional() }).optional() }),
  }),
  concurrency: z
    .union([
      z
        .int()
        .min(1)
        .transform((limit) => [{ limit, key: undefined }]),
      concurrencyLimit.transform((one) => [one]),
      z.array(concurrencyLimit).max(CONCURRENCY_LIMITS_MAX),
    ])
    .optional(),
});

/**
 * Parses a function's declaration from the SDK's sync.
 * @throws FunctionRefused for options that the embedded executor does not support: batches, debounce,
 *   cancellations, conditions ...
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

function toFunction({ id, triggers, steps, concurrency }: z.output<typeof functionConfig>): JobFunction {
  return {
    id,
    attemptsMax: (steps.step.retries?.attempts ?? RETRIES_DEFAULT) + 1,
    events: triggers.flatMap((one) => ("event" in one && one.expression === undefined ? [one.event] : [])),
    failuresOf: triggers.flatMap((one) => ("event" in one && one.expression !== undefined ? [failedIdOf(one)] : [])),
    crons: triggers.flatMap((one) => ("cron" in one ? [toCron(one.cron)] : [])),
    concurrency: (concurrency ?? []).map(({ limit, key }) => ({ limit, key: key ? readPath(key) : null })),
  };
}

/** Returns the id in the trigger of an `onFailure`, the only one that may have a condition. */
function failedIdOf({ event, expression = "" }: { event: string; expression?: string | undefined }): string {
  const id = /^event\.data\.function_id == (?:"([^"]+)"|'([^']+)')$/.exec(expression);
  if (event !== FAILED_EVENT || id === null) throw new Error(`a trigger has the condition ${expression}.`);
  return id[1] ?? id[2] ?? "";
}

function toCron(text: string): JobFunction["crons"][number] {
  const cron = parseCronTrigger(text);
  readCron(cron.expression, cron.zone);
  return { text, ...cron };
}

/** Parses a path such as `event.data.key`, by whose value a limit counts. */
function readPath(text: string): (event: EventPayload) => unknown {
  const path = /^event((?:\.[A-Za-z_]\w*)+)$/.exec(text.trim())?.[1];
  if (path === undefined) throw new Error(`the key ${text} is not a path such as event.data.id.`);
  const names = path.slice(1).split(".");
  return (event) =>
    names.reduce<unknown>((value, name) => {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
      return (value as Record<string, unknown>)[name];
    }, event);
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
