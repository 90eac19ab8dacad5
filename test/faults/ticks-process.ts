import { setTimeout as sleep } from "node:timers/promises";
import { queueConsoleTick } from "@/lib/features/consoles/schedule";
import { queueDueRuns } from "@/lib/features/runs/schedules/tick";
import { sendJobEventsBy } from "@/lib/platform/process/job-events";

/** A server's counters: its checks for due schedules, and the runs that it queued. */
export type Looked = { looks: number; queued: number };

/** A server that polls for due schedules. Argument: how far its clock is ahead, in ms. */
const aheadMs = Number(process.argv[2] ?? "0");
const RealDate = Date;
const PAUSE_MS = 3;

globalThis.Date = class extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(RealDate.now() + aheadMs);
    else super(...(given as [number]));
  }
  static override now(): number {
    return RealDate.now() + aheadMs;
  }
} as DateConstructor;

sendJobEventsBy(async () => {});
const done: Looked = { looks: 0, queued: 0 };
process.on("message", () => process.send?.(done));
process.on("disconnect", () => process.exit(0));
await queueDueRuns({ scheduled_query: queueConsoleTick });
process.send?.("up");
for (;;) {
  done.queued += await queueDueRuns({ scheduled_query: queueConsoleTick });
  done.looks += 1;
  await sleep(PAUSE_MS);
}
