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

const MINUTE_MAX = 59;
const HOUR_MAX = 23;

/**
 * The times of a cron expression of five fields in a time zone. A schedule with given hours follows local time: an hour
 * that a clock change skips runs once, at its end, and a repeated hour runs the first time. A schedule for every hour
 * follows elapsed time.
 */
export class CronSchedule {
  readonly cron: string;
  /** Name as spelled in the time zone database. */
  readonly timezone: string;
  /** Whether it follows elapsed time rather than local time: it runs in every hour. */
  readonly isPassing: boolean;
  readonly #times: Cron;
  readonly #onWall: Cron;

  /** @throws BadSchedule for an invalid cron expression or zone, and for a schedule that never runs */
  constructor(cron: string, timezone: string) {
    this.cron = cron.trim().split(/\s+/).join(" ");
    this.timezone = readZone(timezone);
    this.#onWall = readPattern(this.cron, "UTC");
    const [minutes = "", hours = "", ...days] = this.cron.split(" ");
    this.isPassing = hours.startsWith("*");
    const fixed = [asList(minutes, MINUTE_MAX), asList(hours, HOUR_MAX), ...days].join(" ");
    this.#times = readPattern(this.isPassing ? this.cron : fixed, this.timezone);
    if (!this.next(new Date())) throw new BadSchedule("cron", "This schedule never runs. Choose existing dates.");
  }

  /** Returns the first time after this one; null if there is none. */
  next(after: Date): Date | null {
    return this.#times.nextRun(after);
  }

  /** Returns whether the local time at this instant matches the expression. */
  isOnWall(at: Date): boolean {
    const wall = at.getTime() + offsetAt(at.getTime(), this.timezone);
    return this.#onWall.nextRun(new Date(wall - 1))?.getTime() === wall;
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
    return new Cron(cron, { paused: true, timezone, mode: "5-part", fixedTimeRule: "no-wildcard" });
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

/** Writes wildcards and steps out, with which `croner` would take given hours for elapsed time. */
function asList(field: string, max: number): string {
  const parts = field.split(",").map((part) => {
    const [range = "", step] = part.split("/");
    const [first = 0, last = step === undefined ? first : max] =
      range === "*" ? [0, max] : range.split("-").map(Number);
    if (step === undefined) return range === "*" ? `0-${max}` : part;
    const count = Math.floor((last - first) / Number(step)) + 1;
    return Array.from({ length: count }, (_, index) => first + index * Number(step)).join(",");
  });
  return parts.join(",");
}
