import { sharedState } from "./shared-state";

/** Something that has happened, for the job runner: it carries ids and small facts, and handlers read the rest. */
export type JobEvent = {
  name: string;
  /** Two events of one id within a day are one. */
  id: string;
  data: Record<string, unknown>;
};
/** Resolves when the runner has taken them for good. */
export type SendJobEvents = (events: JobEvent[]) => Promise<void>;

/** One message of the runner's event endpoint; it takes more, but not without end. */
const EVENTS_PER_SEND = 500;

/** Says who takes events: the start gives it, since it knows the runner. */
export function sendJobEventsBy(send: SendJobEvents): void {
  holder().send = send;
}

/**
 * Hands events to the job runner. Whoever calls has written down before what is to happen, and finds it again when this
 * fails: events are wake-up calls, not the truth.
 * @throws Error when the runner is away, or none is set up
 */
export async function sendJobEvents(events: JobEvent[]): Promise<void> {
  const { send } = holder();
  if (!send) throw new Error("Nobody has said who takes events.");
  for (let start = 0; start < events.length; start += EVENTS_PER_SEND) {
    await send(events.slice(start, start + EVENTS_PER_SEND));
  }
}

function holder(): { send: SendJobEvents | null } {
  return sharedState("job-events", () => ({ send: null }));
}
