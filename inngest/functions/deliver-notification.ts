import { RetryAfterError } from "inngest";
import { inngest } from "@/inngest/client";
import { pauseAfter } from "@/lib/features/notifications/backoff";
import { deliver } from "@/lib/features/notifications/deliver";
import { DELIVERY_QUEUED_EVENT, type DeliveryQueued } from "@/lib/features/notifications/enqueue";
import { OutsideFailure } from "@/lib/platform/jobs/job-logger";
import { isEmbeddedRunner } from "@/lib/platform/jobs/runner";

/** Number of retries after the first send: together `SENDS_MAX` of the domain. */
const RETRIES = 5;

export const deliverNotification = inngest.createFunction(
  {
    id: "deliver-notification",
    retries: RETRIES,
    // One call sends as many deliveries at once as a host allows, including all that are queued for it.
    concurrency: { limit: 1, key: "event.data.target" },
    triggers: [{ event: DELIVERY_QUEUED_EVENT }],
  },
  async ({ attempt, event, step }) => {
    const call = event.data as DeliveryQueued;
    if (call.afterMs !== undefined) await step.sleep("pause", call.afterMs);
    // Not a separate step: each send stores its outcome in its record.
    const result = await deliver(call);
    if (result.state === "final") return result.status;
    if (result.afterMs !== null) throw new RetryAfterError(result.error, result.afterMs);
    if (isEmbeddedRunner()) throw new OutsideFailure(result.error);
    // An Inngest server forgets a retry's backoff when it restarts; a RetryAfterError's delay is part of the run.
    throw new RetryAfterError(result.error, pauseAfter(attempt + 1));
  },
);
