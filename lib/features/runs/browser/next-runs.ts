import { clockPartsOf } from "@/lib/base/values/clock-parts";
import { offsetAt } from "@/lib/base/values/offset";
import { BadSchedule, CronSchedule } from "@/lib/features/runs/schedules/cron";

/** `note` describes the effect of a clock change on this run; null if there is none. */
export type NextRun = { at: Date; text: string; note: string | null };
export type NextRuns =
  | { isGood: true; runs: NextRun[] }
  | { isGood: false; field: "cron" | "timezone"; message: string };

const SHOWN = 5;
const HOUR_MS = 3_600_000;

/** Returns the next runs in the zone's local time, by the same rules as the server; or the error. */
export function toNextRuns(cron: string, timezone: string, now: Date): NextRuns {
  try {
    const schedule = new CronSchedule(cron, timezone);
    let before = now;
    const runs = schedule.nextRuns(SHOWN, now).map((at) => {
      const note = toClockNote(schedule, at, before);
      before = at;
      return { at, text: formatInZone(at, schedule.timezone, now), note };
    });
    return { isGood: true, runs };
  } catch (error) {
    if (!(error instanceof BadSchedule)) throw error;
    return { isGood: false, field: error.field, message: error.message };
  }
}

/** Formats a time in a zone: "Mon 23 Nov 07:00"; with the year if it is not the current one. */
export function formatInZone(at: Date, timezone: string, now: Date): string {
  const parts = clockPartsOf(at, timezone);
  const year = parts.year === clockPartsOf(now, timezone).year ? "" : ` ${parts.year}`;
  return `${parts.weekday} ${parts.day} ${parts.month}${year} ${parts.hour}:${parts.minute}`;
}

function toClockNote(schedule: CronSchedule, at: Date, before: Date): string | null {
  const offset = (moment: Date) => offsetAt(moment.getTime(), schedule.timezone);
  const change = offset(at) - offset(before);
  if (!schedule.isPassing && !schedule.isOnWall(at)) return "Clocks skip this time; it runs at the end of the hour";
  if (isFirstOfTwo(at, schedule.timezone)) {
    return `Clocks repeat this hour; it runs ${schedule.isPassing ? "twice" : "once"}`;
  }
  if (change === 0) return null;
  return `After clocks go ${change > 0 ? "forward" : "back"}`;
}

/** Returns whether the same local time occurs again within hours, because the clocks go back. */
function isFirstOfTwo(at: Date, timezone: string): boolean {
  const offset = offsetAt(at.getTime(), timezone);
  // Clocks are set back by an hour nearly everywhere, and by half of one on Lord Howe Island.
  return [HOUR_MS, HOUR_MS / 2].some((ms) => offsetAt(at.getTime() + ms, timezone) === offset - ms);
}
