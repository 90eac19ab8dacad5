import { Cron } from "croner";
import { toZoneName } from "@/lib/base/values/names";
import { offsetAt } from "@/lib/base/values/offset";

/** What is wrong with a schedule, for its field. */
export class BadSchedule extends Error {
  readonly field: "cron" | "timezone";

  constructor(field: "cron" | "timezone", message: string) {
    super(message);
    this.field = field;
  }
}

const MINUTE_MS = 60_000;
/** Clocks are set by less than this, so that no wall time further back comes after the moment asked for. */
const CLOCK_CHANGE_MAX_MS = 3 * 60 * MINUTE_MS;
/** Wall times are looked through at the most; one in each minute of the largest change is far fewer. */
const CANDIDATES_MAX = 1000;

/**
 * The moments that a cron expression of five fields names in a time zone. What runs at given hours goes by the clock on
 * the wall: an hour that a clock change leaves out runs once, at its end, and one that comes twice runs the first time.
 * What runs in every hour goes by the time that passes.
 */
export class CronSchedule {
  readonly cron: string;
  /** As the database of zones spells it. */
  readonly timezone: string;
  readonly #onWall: Cron;
  readonly #passing: Cron | null;

  /** @throws BadSchedule for what is no cron expression or zone, and for what never comes */
  constructor(cron: string, timezone: string) {
    this.cron = cron.trim().split(/\s+/).join(" ");
    this.timezone = readZone(timezone);
    this.#onWall = readPattern(this.cron, "UTC");
    const [, hours = ""] = this.cron.split(" ");
    this.#passing = hours.startsWith("*") ? readPattern(this.cron, this.timezone) : null;
    if (!this.next(new Date())) throw new BadSchedule("cron", "This never comes. Choose days that there are.");
  }

  /** The first moment after this one; null when there is none. */
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

  /** Whether the clock on the wall shows one of the expression's times at this moment. */
  isOnWall(at: Date): boolean {
    const wall = at.getTime() + offsetAt(at.getTime(), this.timezone);
    return this.#onWall.nextRun(new Date(wall - 1))?.getTime() === wall;
  }

  /** Whether it goes by the time that passes rather than by the clock on the wall: it runs in every hour. */
  get isPassing(): boolean {
    return this.#passing !== null;
  }

  /** The first moments after this one, as many as there are up to `count`. */
  nextRuns(count: number, after: Date): Date[] {
    const runs: Date[] = [];
    for (let at = this.next(after); at && runs.length < count; at = this.next(at)) runs.push(at);
    return runs;
  }
}

function readPattern(cron: string, timezone: string): Cron {
  if (cron.split(" ").length !== 5 || /[^\w*/,\-#? ]/.test(cron)) {
    throw new BadSchedule("cron", "Write five fields: minute, hour, day of the month, month, day of the week.");
  }
  try {
    return new Cron(cron, { paused: true, timezone, mode: "5-part" });
  } catch (error) {
    // "CronPattern: Invalid value for minute: 61"
    const reason = error instanceof Error ? error.message.replace(/^\w+: /, "") : "It cannot be read.";
    throw new BadSchedule("cron", `This is no cron expression: ${reason}`);
  }
}

function readZone(timezone: string): string {
  const name = toZoneName(timezone);
  if (name === null)
    throw new BadSchedule("timezone", "There is no such time zone. Write a name as Europe/Vienna, or UTC.");
  return name;
}

/**
 * The moment at which the clock on the wall shows this.
 * @param wall the time shown, as if it were UTC, in milliseconds
 * @returns of two such moments the first; for a time that is left out, the end of the gap
 */
function toMoment(wall: number, timezone: string): number {
  const day = 24 * 60 * MINUTE_MS;
  const before = offsetAt(wall - day, timezone);
  const after = offsetAt(wall + day, timezone);
  const candidates = [...new Set([wall - before, wall - after])].sort((a, b) => a - b);
  const shown = candidates.find((moment) => moment + offsetAt(moment, timezone) === wall);
  if (shown !== undefined) return shown;
  // The change lies between the two; find the minute in which it happens.
  let [low, high] = [candidates[0] ?? wall, candidates.at(-1) ?? wall];
  const old = offsetAt(low, timezone);
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(middle, timezone) === old) low = middle;
    else high = middle;
  }
  return high;
}
