import { Collection } from "mongodb";
import { prepareStore } from "@/lib/features/instance/prepare-store";
import type { JobEvent } from "@/lib/platform/process/job-events";
import { startJobServer } from "@/test/jobs/server";
import { crashFunctions } from "./crash-functions";

/** Runs one function, and is killed right after the store has completed the given number of its writes. */
export type CrashTask = { key: string; write: number; events?: JobEvent[]; leaseMs?: number };

const WRITES = [
  "insertOne",
  "insertMany",
  "updateOne",
  "updateMany",
  "findOneAndUpdate",
  "deleteOne",
  "deleteMany",
] as const;
/** Operations that a process runs constantly, with or without jobs. */
const ALWAYS = ["updateMany"];
const OTHERS = ["job_workers", "job_slots", "crash_notes"];

const task = JSON.parse(process.argv[2] ?? "{}") as CrashTask;
let isArmed = false;
let writes = 0;
for (const name of WRITES) {
  const original = Collection.prototype[name] as (...args: unknown[]) => Promise<unknown>;
  const wrapped = async function (this: Collection, ...args: unknown[]) {
    const isCounted = isArmed && !ALWAYS.includes(name) && !OTHERS.includes(this.collectionName);
    // A claim without a match has written nothing.
    if (!isCounted) return original.apply(this, args);
    const isClaim = name === "findOneAndUpdate" && (args[0] as { state?: string }).state === "ready";
    const result = await original.apply(this, args);
    if (!isClaim || result !== null) writes += 1;
    if (writes === task.write) await die();
    return result;
  };
  Object.defineProperty(Collection.prototype, name, { value: wrapped });
}

/** Like a power cut: nothing after this line runs. */
async function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

prepareStore();
const jobs = await startJobServer(crashFunctions, { ...(task.leaseMs && { leaseMs: task.leaseMs }) });
isArmed = true;
await jobs.send(task.events ?? { id: task.key, name: "crash/go", data: { key: task.key } });
await jobs.settled();
process.send?.({ writes });
process.exit(0);
