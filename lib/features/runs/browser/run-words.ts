import type { Run } from "@/lib/features/runs/schema";
import { formatClock } from "@/lib/platform/browser/format";
import { formatDay, formatDayAndMonth } from "@/lib/platform/browser/format-time";

/** Labels of the triggers of a run. */
export const TRIGGER_WORDS: Record<Run["triggerType"], string> = {
  scheduled: "Scheduled",
  manual: "Manual",
  api: "API",
  backfill: "Backfill",
  webhook: "Webhook",
};

const WEEKDAY = new Intl.DateTimeFormat("en", { weekday: "short" });

/**
 * Formats a time in a list, in the reader's zone: "Today 10:40:07", "Mon 16 Nov 07:00"; with the year if it is not the
 * current one.
 */
export function formatRowTime(at: Date, now: Date): string {
  if (at.toDateString() === now.toDateString()) return `Today ${formatClock(at)}`;
  const isThisYear = at.getFullYear() === now.getFullYear();
  return `${isThisYear ? `${WEEKDAY.format(at)} ${formatDayAndMonth(at)}` : formatDay(at)} ${formatClock(at, false)}`;
}

/** Returns advice for a failed run of a console. */
export function toRunAdvice(error: string): string {
  if (/no longer a member|save the schedule to run it as|no longer shared/i.test(error))
    return "Save the schedule to run it as you.";
  if (/cancelled|stopped (?:while|during)/i.test(error)) return "Click Run now to retry.";
  if (/timed? ?out|time limit|longer than|took too long|stopped after/i.test(error)) {
    return "Return fewer rows, save, then click Run now.";
  }
  if (/connect|reach|refused|credential|password|login|authenticat/i.test(error)) {
    return "Test and fix the connection, then click Run now.";
  }
  return "Fix and save the query, then click Run now.";
}
