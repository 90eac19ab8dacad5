import { RetryAfterError } from "inngest";
import { inngest } from "@/inngest/client";
import { OutsideFailure } from "@/inngest/logger";
import { pauseAfter } from "@/lib/features/notifications/backoff";
import { deliver } from "@/lib/features/notifications/deliver";
import { DELIVERY_QUEUED_EVENT, type DeliveryQueued } from "@/lib/features/notifications/wake";
import { isEmbeddedRunner } from "@/lib/platform/jobs/runner";

/** One send and up to five more: `SENDS_MAX` of the domain. */
const RETRIES = 5;

export const deliverNotification = inngest.createFunction(
  {
    id: "deliver-notification",
    retries: RETRIES,
    // A call sends as many at once as a host gets, and whatever waits for it.
    concurrency: { limit: 1, key: "event.data.target" },
    triggers: [{ event: DELIVERY_QUEUED_EVENT }],
  },
  async ({ attempt, event, step }) => {
    const call = event.data as DeliveryQueued;
    if (call.afterMs !== undefined) await step.sleep("pause", call.afterMs);
    // No step of its own: the outcome of each send is in its record.
    const result = await deliver(call);
    if (result.state === "final") return result.status;
    if (result.afterMs !== null) throw new RetryAfterError(result.error, result.afterMs);
    if (isEmbeddedRunner()) throw new OutsideFailure(result.error);
    // A server of Inngest's forgets its own schedule when it restarts; what an answer asks for is part of the run.
    throw new RetryAfterError(result.error, pauseAfter(attempt + 1));
  },
);
