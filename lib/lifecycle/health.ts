import "server-only";
import { database } from "@/lib/db/client";
import { sharedState } from "@/lib/process/shared-state";
import { isShuttingDown } from "@/lib/process/shutdown";
import { version } from "@/package.json";

/** A probe waits a few seconds at most: an answer that says "down" is worth more than none. */
const CHECK_TIMEOUT_MS = 2000;

export type HealthPart = "mongo" | "jobs";
type PartState = "ok" | "failing";
/** Resolves when the part works, rejects when it does not. */
type Check = () => Promise<void>;

/** docs/api.md, Common rules. `failing` names the first part that is not well, or "shutdown" while the server stops. */
export type Health = { status: "ok" | "unavailable"; version: string; failing?: HealthPart | "shutdown" } & Record<
  HealthPart,
  PartState
>;

/**
 * Says whether this server can serve: 503 is due when `status` is not "ok". A part without a check has nothing to run
 * here, and is ok.
 */
export async function health(): Promise<Health> {
  const [mongo, jobs] = await Promise.all([stateOf("mongo"), stateOf("jobs")]);
  const failing = isShuttingDown() ? "shutdown" : mongo !== "ok" ? "mongo" : jobs !== "ok" ? "jobs" : undefined;
  return { status: failing ? "unavailable" : "ok", version, mongo, jobs, ...(failing && { failing }) };
}

/** Makes a part answer for itself; the last one given counts. */
export function setHealthCheck(part: HealthPart, check: Check): void {
  checks().set(part, check);
}

async function stateOf(part: HealthPart): Promise<PartState> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error("no answer in time")), CHECK_TIMEOUT_MS);
  try {
    await Promise.race([checks().get(part)?.(), timeout.promise]);
    return "ok";
  } catch {
    return "failing";
  } finally {
    clearTimeout(timer);
  }
}

function checks(): Map<HealthPart, Check> {
  return sharedState("health", () => new Map([["mongo", pingStore]]));
}

async function pingStore(): Promise<void> {
  await database().command({ ping: 1 });
}
