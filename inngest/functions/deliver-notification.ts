import { RetryAfterError } from "inngest";
import { inngest } from "@/inngest/client";
import { deliver } from "@/lib/notifications/deliveries";
import { DELIVERY_QUEUED_EVENT, type DeliveryQueued } from "@/lib/notifications/wake";

/** One send and up to five more: `SENDS_MAX` of the domain. */
const RETRIES = 5;
/** Of one workspace to one host at once: a host that hangs holds these up and nobody else (F7). */
const SENDS_PER_TARGET = 5;

export const deliverNotification = inngest.createFunction(
  {
    id: "deliver-notification",
    retries: RETRIES,
    concurrency: { limit: SENDS_PER_TARGET, key: "event.data.target" },
    triggers: [{ event: DELIVERY_QUEUED_EVENT }],
  },
  async ({ event }) => {
    // Not a step of its own: there is but one thing to do, and its outcome is in its record.
    const result = await deliver(event.data as DeliveryQueued);
    if (result.state === "final") return result.status;
    const words = result.state === "retry" ? result.error : "Another server is sending it.";
    if (result.afterMs === null) throw new Error(words);
    throw new RetryAfterError(words, result.afterMs);
  },
);
