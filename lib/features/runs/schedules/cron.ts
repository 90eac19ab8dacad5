import { Cron } from "croner";
import { toZoneName } from "@/lib/base/values/names";
import { offsetAt } from "@/lib/base/values/offset";

/** An error in one field of a schedule. */
export class BadSchedule extends Error {
  readonly field: "cron" | "timezone";

  constructor(field: "cron" | "timezone", message: string) {
    super(message);
    this.field = field;
  }
}

const MINUTE_MS = 60_000;
/** More than any clock change, so that no earlier wall time occurs after the given time. */
const CLOCK_CHANGE_MAX_MS = 3 * 60 * MINUTE_MS;
/** Maximum number of wall times to examine. The largest clock change has far fewer, at one a minute. */
const CANDIDATES_MAX = 1000;

/**
 * The times of a cron expression of five fields in a time zone. A schedule with given hours follows local time: an hour
 * that a clock change skips runs once, at its end, and a repeated hour runs the first time. A schedule for every hour
 * follows elapsed time.
 */
export class CronSchedule {
  readonly cron: string;
  /** Name as spelled in the time zone database. */
  readonly timezone: string;
  readonly #onWall: Cron;
  readonly #passing: Cron | null;

  /** @throws BadSchedule for an invalid cron expression or zone, and for a schedule that never runs */
  constructor(cron: string, timezone: string) {
    this.cron = cron.trim().split(/\s+/).join(" ");
    this.timezone = readZone(timezone);
    this.#onWall = readPattern(this.cron, "UTC");
    const [, hours = ""] = this.cron.split(" ");
    this.#passing = hours.startsWith("*") ? readPattern(this.cron, this.timezone) : null;
    if (!this.next(new Date())) throw new BadSchedule("cron", "This schedule never runs. Choose existing dates.");
  }

  /** Returns the first time after this one; null if there is none. */
  next(after: Date): Date | null {
    if (this.#passing) return this.#passing.nextRun(after);
    let wall = new Date(after.getTime() + offsetAt(after.getTime(), this.timezone) - CLOCK_CHANGE_MAX_MS);
    for (let tried = 0; tried < CANDIDATES_MAX; tried++) {
      const candidate = this.#onWall.nextRun(wall);
      if (!candidate) return null;
      const moment = toMoment(candidate.getTime(), this.timezone);
      if (moment > after.getTime()) return new Date(moment);
      wall = candidate;
    }
    return null;
  }

  /** Returns whether the local time at this instant matches the expression. */
  isOnWall(at: Date): boolean {
    const wall = at.getTime() + offsetAt(at.getTime(), this.timezone);
    return this.#onWall.nextRun(new Date(wall - 1))?.getTime() === wall;
  }

  /** Whether it follows elapsed time rather than local time: it runs in every hour. */
  get isPassing(): boolean {
    return this.#passing !== null;
  }

  /** Returns the first times after this one, up to `count`. */
  nextRuns(count: number, after: Date): Date[] {
    const runs: Date[] = [];
    for (let at = this.next(after); at && runs.length < count; at = this.next(at)) runs.push(at);
    return runs;
  }
}

function readPattern(cron: string, timezone: string): Cron {
  if (cron.split(" ").length !== 5 || /[^\w*/,\-#? ]/.test(cron)) {
    throw new BadSchedule("cron", "Enter five fields: minute, hour, day of month, month, day of week.");
  }
  try {
    return new Cron(cron, { paused: true, timezone, mode: "5-part" });
  } catch (error) {
    // "CronPattern: Invalid value for minute: 61"
    const reason = error instanceof Error ? error.message.replace(/^\w+: /, "") : "Invalid expression.";
    throw new BadSchedule("cron", `Invalid cron expression: ${reason}`);
  }
}

function readZone(timezone: string): string {
  const name = toZoneName(timezone);
  if (name === null) throw new BadSchedule("timezone", "Unknown time zone. Use a name such as Europe/Vienna or UTC.");
  return name;
}

/**
 * Returns the instant of a local time.
 * @param wall local time as if it were UTC, in ms
 * @returns the first of two instants; for a skipped time, the end of the gap
 */
function toMoment(wall: number, timezone: string): number {
  const day = 24 * 60 * MINUTE_MS;
  const before = offsetAt(wall - day, timezone);
  const after = offsetAt(wall + day, timezone);
  const candidates = [...new Set([wall - before, wall - after])].sort((a, b) => a - b);
  const shown = candidates.find((moment) => moment + offsetAt(moment, timezone) === wall);
  if (shown !== undefined) return shown;
  // The change lies between the two: find its minute.
  let [low, high] = [candidates[0] ?? wall, candidates.at(-1) ?? wall];
  const old = offsetAt(low, timezone);
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(middle, timezone) === old) low = middle;
    else high = middle;
  }
  return high;
}
