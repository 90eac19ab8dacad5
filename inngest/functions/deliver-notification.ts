import { RetryAfterError } from "inngest";
import { inngest } from "@/inngest/client";
import { deliver } from "@/lib/notifications/deliveries";
import { SENDS_PER_TARGET } from "@/lib/notifications/limits";
import { DELIVERY_QUEUED_EVENT, type DeliveryQueued } from "@/lib/notifications/wake";

/** One send and up to five more: `SENDS_MAX` of the domain. */
const RETRIES = 5;

export const deliverNotification = inngest.createFunction(
  {
    id: "deliver-notification",
    retries: RETRIES,
    concurrency: { limit: SENDS_PER_TARGET, key: "event.data.target" },
    triggers: [{ event: DELIVERY_QUEUED_EVENT }],
  },
  async ({ event }) => {
    // No steps of their own: the outcome of each is in its record.
    const result = await deliver(event.data as DeliveryQueued);
    if (result.state === "final") return result.status;
    if (result.afterMs === null) throw new Error(result.error);
    throw new RetryAfterError(result.error, result.afterMs);
  },
);
