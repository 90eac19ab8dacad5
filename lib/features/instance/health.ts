import "server-only";
import { z } from "zod";
import { database } from "@/lib/platform/db/client";
import { STORE_RETRY_AFTER_SECONDS } from "@/lib/platform/http/to-app-error";
import { serverMember } from "@/lib/platform/process/server-context";
import { isShuttingDown } from "@/lib/platform/process/shutdown";
import { version } from "@/package.json";

/** Time after which an unanswered check counts as failed, in ms. */
const CHECK_TIMEOUT_MS = 2000;
/** Interval at which a running server checks its parts, so that health requests do not wait for them. */
const CHECK_EVERY_MS = 1000;
/**
 * Time after which the last successful check counts instead, in ms, unless a new result is overdue: under load a check
 * is slow, and a busy server must not appear unhealthy.
 */
const PATIENCE_MS = 50;
const LAST_WORD_MS = CHECK_EVERY_MS + CHECK_TIMEOUT_MS;

/** Parts in the order in which `failing` names them: a full disk makes the store fail, not the other way round. */
const PARTS = ["disk", "mongo", "jobs"] as const;
export type HealthPart = (typeof PARTS)[number];
type PartState = z.infer<typeof partState>;
/** Resolves if the part works, rejects if it does not. */
type Check = () => Promise<void>;
export type WatchedPart = { check: Check | undefined; asked: Promise<PartState> | null; wasOkAt: number };

const partState = z.enum(["ok", "failing"]);
/**
 * Health of the server (docs/develop/api.md, Common rules). `failing` names the first failed part, or "shutdown" while
 * the server stops.
 */
export const healthSchema = z.object({
  status: z.enum(["ok", "unavailable"]),
  version: z.string(),
  mongo: partState,
  jobs: partState,
  disk: z.literal("failing").optional().describe("Present while the data folder is full or not writable"),
  failing: z.enum([...PARTS, "shutdown"]).optional(),
});
export type Health = z.infer<typeof healthSchema>;

/**
 * Returns whether this server can serve: answer 503 if `status` is not "ok". A part without a check does not run here,
 * and is ok. A failed part is noticed within three seconds.
 */
export async function health(): Promise<Health> {
  const [disk, mongo, jobs] = await Promise.all([stateOf("disk"), stateOf("mongo"), stateOf("jobs")]);
  const states = { mongo, jobs, disk };
  const failing = isShuttingDown() ? "shutdown" : PARTS.find((part) => states[part] !== "ok");
  return {
    status: failing ? "unavailable" : "ok",
    version,
    mongo,
    jobs,
    ...(disk !== "ok" && { disk }),
    ...(failing && { failing }),
  };
}

/** Returns the answer of both readiness routes. */
export async function answerHealth(): Promise<Response> {
  const answer = await health();
  return Response.json(answer, {
    status: answer.status === "ok" ? 200 : 503,
    headers: {
      "Cache-Control": "no-store",
      ...(answer.status !== "ok" && { "Retry-After": String(STORE_RETRY_AFTER_SECONDS) }),
    },
  });
}

/**
 * A process that answers is alive, even if its parts fail: otherwise a full disk would restart it for ever.
 */
export const livenessSchema = z.object({ status: z.literal("ok"), version: z.string() });
export function liveness(): z.infer<typeof livenessSchema> {
  return { status: "ok", version };
}

/** Sets the health check of a part; the last one applies. */
export function setHealthCheck(part: HealthPart, check: Check): void {
  parts()[part] = watched(check);
}

/** Checks the parts periodically, for as long as this process lives. */
export function watchHealth(): void {
  setInterval(() => {
    for (const part of Object.values(parts())) void ask(part);
  }, CHECK_EVERY_MS).unref();
}

async function stateOf(name: HealthPart): Promise<PartState> {
  const part = parts()[name];
  const age = () => performance.now() - part.wasOkAt;
  if (age() < CHECK_EVERY_MS) return "ok";
  const asked = ask(part);
  const patience = Promise.withResolvers<null>();
  const timer = setTimeout(() => patience.resolve(null), PATIENCE_MS);
  const answer = await Promise.race([asked, patience.promise]);
  clearTimeout(timer);
  return answer ?? (age() < LAST_WORD_MS ? "ok" : asked);
}

/** Runs one check at a time, shared by all callers. */
function ask(part: WatchedPart): Promise<PartState> {
  part.asked ??= answerOf(part).finally(() => {
    part.asked = null;
  });
  return part.asked;
}

async function answerOf(part: WatchedPart): Promise<PartState> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error("timed out")), CHECK_TIMEOUT_MS);
  try {
    await Promise.race([part.check?.(), timeout.promise]);
    part.wasOkAt = performance.now();
    return "ok";
  } catch {
    part.wasOkAt = Number.NEGATIVE_INFINITY;
    return "failing";
  } finally {
    clearTimeout(timer);
  }
}

const parts = serverMember("healthParts", () => ({
  mongo: watched(pingStore),
  jobs: watched(undefined),
  disk: watched(undefined),
}));

function watched(check: Check | undefined): WatchedPart {
  return { check, asked: null, wasOkAt: Number.NEGATIVE_INFINITY };
}

/** Checks that the store answers. */
export async function pingStore(): Promise<void> {
  await database().command({ ping: 1 });
}
