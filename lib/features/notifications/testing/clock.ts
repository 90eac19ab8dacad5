import { ObjectId } from "mongodb";
import { RUN_ENDED_EVENT, type RunEnded } from "@/lib/features/runs/ends";
import type { EgressPolicy } from "@/lib/platform/net/policy";
import { type JobEvent, sendJobEventsBy } from "@/lib/platform/process/job-events";
import { type AttemptResult, attemptDelivery } from "../attempts";
import { collections } from "../collections";
import { fanOut } from "../fan-out";
import { DELIVERY_QUEUED_EVENT, type DeliveryQueued } from "../wake";

/** Calls of one delivery that a runner makes: the first and five retries. */
const CALLS_MAX = 6;

export type TestClock = {
  /** Each event that was sent, in its order. */
  events: JobEvent[];
  /** What each call for a delivery has said. */
  results: AttemptResult[];
  /** Handles the one event that has waited longest. */
  step: () => Promise<void>;
  /** Does all that is waiting, retries without their pauses, until nothing is left. */
  drain: () => Promise<void>;
};

/** A job runner without a clock: it forgets nothing, waits for nothing, and calls what a real one calls. */
export function takeJobEvents(policy?: EgressPolicy): TestClock {
  const waiting: JobEvent[] = [];
  // What earlier tests have left is not this one's.
  const since = new ObjectId();
  const seen = new Set<string>();
  const clock: TestClock = {
    events: [],
    results: [],
    step: async () => {
      const event = waiting.shift();
      if (!event) throw new Error("Nothing is waiting.");
      await handle(event, { clock, since, policy });
    },
    drain: async () => {
      for (let event = waiting.shift(); event; event = waiting.shift()) await handle(event, { clock, since, policy });
    },
  };
  sendJobEventsBy(async (events) => {
    clock.events.push(...events);
    for (const event of events) {
      if (!seen.has(event.id)) waiting.push(event);
      seen.add(event.id);
    }
  });
  return clock;
}

type Handling = { clock: TestClock; since: ObjectId; policy: EgressPolicy | undefined };

async function handle({ name, data }: JobEvent, { clock, since, policy }: Handling): Promise<void> {
  if (name === RUN_ENDED_EVENT) return fanOut(data as RunEnded);
  if (name !== DELIVERY_QUEUED_EVENT) throw new Error(`Nobody takes ${name}.`);
  const { deliveryIds, target, ...of } = data as DeliveryQueued;
  const workspaceId = new ObjectId(of.workspaceId);
  const named = deliveryIds.map((id) => new ObjectId(id));
  for (const id of named) await sendUntilItEnds(id);
  // A call goes on with what else waits for its host, for which no event need have been sent.
  const _id = { $nin: named, $gt: since };
  const others = { workspaceId, target, status: "queued" as const, attempts: 0, _id };
  for (const { _id } of await collections.deliveries().find(others).sort({ _id: 1 }).toArray()) {
    await sendUntilItEnds(_id);
  }

  async function sendUntilItEnds(id: ObjectId): Promise<void> {
    for (let calls = 0; calls < CALLS_MAX; calls += 1) {
      const result = await attemptDelivery(workspaceId, id, policy);
      clock.results.push(result);
      if (result.state !== "retry") break;
    }
  }
}
