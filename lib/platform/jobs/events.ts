import "server-only";
import { z } from "zod";
import { EVENT_BYTES_MAX, EVENT_NAME_CHARS_MAX, EVENTS_MAX } from "./limits";
import type { EventDoc, EventPayload } from "./model";
import { ulid } from "./ulid";

/** Valid range of times, 1980 to 2100. A value outside was probably in seconds, or is not a time. */
const TIME_MIN = Date.UTC(1980, 0, 1);
const TIME_MAX = Date.UTC(2100, 0, 1);
/** Prefix of the runner's internal events. A sender of such events could start failure handlers. */
const INTERNAL_PREFIX = "inngest/";

/** Thrown for rejected events. `status` is the HTTP status for the sender. */
export class EventsRefused extends Error {
  constructor(
    readonly status: 400 | 413,
    message: string,
  ) {
    super(message);
    this.name = "EventsRefused";
  }
}

const event = z.object({
  name: z
    .string()
    .min(1)
    .max(EVENT_NAME_CHARS_MAX)
    .refine((name) => !name.startsWith(INTERNAL_PREFIX), `names that start with ${INTERNAL_PREFIX} are reserved`),
  data: z.record(z.string(), z.unknown()).nullish(),
  id: z.string().max(EVENT_NAME_CHARS_MAX).nullish(),
  ts: z.int().min(TIME_MIN).max(TIME_MAX).nullish(),
  user: z.record(z.string(), z.unknown()).nullish(),
  v: z.string().nullish(),
});
const batch = z.union([z.array(event).max(EVENTS_MAX), event.transform((one) => [one])]);

/**
 * Validates incoming events and builds their documents.
 * @param seed the same for each retry of a request, so that a retry builds the same documents
 * @param worker gets the lease of the events at once
 * @throws EventsRefused
 */
export function toEventDocs(input: unknown, seed: string | null, worker: string, now: Date): EventDoc[] {
  const parsed = batch.safeParse(input);
  if (!parsed.success) throw new EventsRefused(400, `Invalid events. ${parsed.error.issues[0]?.message ?? ""}`);
  return parsed.data.map((one, index) => {
    const _id = seed === null ? ulid(now) : ulid(timeOf(seed), `${seed}\n${index}`);
    const { id, name, data, ts, user, v } = one;
    const payload: EventPayload = {
      id: id || _id,
      name,
      data: data ?? {},
      ts: ts ?? now.getTime(),
      user: user ?? {},
      ...(v && { v }),
    };
    const text = JSON.stringify(payload);
    if (Buffer.byteLength(text) > EVENT_BYTES_MAX) {
      throw new EventsRefused(413, `Events are limited to ${EVENT_BYTES_MAX} bytes.`);
    }
    return { _id, name, payload: text, createdAt: now, state: "leased", at: now, leaseBy: worker, lapses: 0 };
  });
}

/** Returns the time in a seed, which starts with the milliseconds of the first attempt. */
function timeOf(seed: string): Date {
  const ms = Number.parseInt(seed, 10);
  return new Date(ms >= TIME_MIN && ms <= TIME_MAX ? ms : TIME_MIN);
}
