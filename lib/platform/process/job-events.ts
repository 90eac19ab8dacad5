import { serverMember } from "./server-context";

/** An event for the job runner: it carries ids and small facts, and handlers read the rest. */
export type JobEvent = {
  name: string;
  /** Id of the event: two events with one id within a day count as one. */
  id: string;
  data: Record<string, unknown>;
};
/** Resolves when the runner has stored them. */
export type SendJobEvents = (events: JobEvent[]) => Promise<void>;

/** Maximum number of events in one message to the runner's event endpoint; it accepts more, but not without limit. */
const EVENTS_PER_SEND = 500;

/** Registers the function that sends events: the start passes it, since it knows the runner. */
export function sendJobEventsBy(send: SendJobEvents): void {
  holder().send = send;
}

/**
 * Sends events to the job runner. The caller has stored the work before, and a sweep finds it if this fails: events are
 * wake-up calls, not the source of truth.
 * @throws Error if the runner is unreachable, or none is set up
 */
export async function sendJobEvents(events: JobEvent[]): Promise<void> {
  const { send } = holder();
  if (!send) throw new Error("No receiver of events is registered.");
  for (let start = 0; start < events.length; start += EVENTS_PER_SEND) {
    await send(events.slice(start, start + EVENTS_PER_SEND));
  }
}

const holder = serverMember("jobEvents", () => ({ send: null }));
