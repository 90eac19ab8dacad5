import { closeDataSources } from "@/lib/features/connections/pool";
import { closeDatabase } from "@/lib/platform/db/client";
import { writeNow as writeEvents } from "@/lib/platform/events/publish";
import { sendJobEventsBy } from "@/lib/platform/process/job-events";
import { carryOutFlowRun } from "../carry-out";

/** Carries out one run, as a server of its own that can be killed. */
export type RunTask = { workspaceId: string; runId: string };

const task = JSON.parse(process.argv[2] ?? "{}") as RunTask;
sendJobEventsBy(async () => {});
process.send?.("begins");
await carryOutFlowRun(task);
process.send?.("done");
await closeDataSources();
// What is told a moment later would open the database anew.
await writeEvents();
await closeDatabase();
process.disconnect?.();
