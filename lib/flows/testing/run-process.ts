import { closeDataSources } from "@/lib/connections/pool";
import { closeDatabase } from "@/lib/db/client";
import { sendJobEventsBy } from "@/lib/process/job-events";
import { carryOutFlowRun } from "../carry-out";

/** Carries out one run, as a server of its own that can be killed. */
export type RunTask = { workspaceId: string; runId: string };

const task = JSON.parse(process.argv[2] ?? "{}") as RunTask;
sendJobEventsBy(async () => {});
process.send?.("begins");
await carryOutFlowRun(task);
process.send?.("done");
await closeDataSources();
await closeDatabase();
process.disconnect?.();
