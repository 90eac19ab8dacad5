import "server-only";
import { sendJobEventsBy } from "@/lib/platform/process/job-events";
import { inngest } from "./client";

/** Connects this process's events to the job runner. */
export function connectRunner(): void {
  sendJobEventsBy(async (events) => {
    await inngest.send(events);
  });
}
