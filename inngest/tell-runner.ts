import "server-only";
import { sendJobEventsBy } from "@/lib/platform/process/job-events";
import { inngest } from "./client";

/** Makes the events of this process reach the job runner. */
export function tellRunner(): void {
  sendJobEventsBy(async (events) => {
    await inngest.send(events);
  });
}
