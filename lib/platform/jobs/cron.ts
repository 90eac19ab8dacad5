import { Cron } from "croner";

/**
 * A cron expression of five fields (or a name as @hourly), read in a time zone. Where the clocks go forward, a time that
 * is left out runs at the end of the gap; where they go back, one that comes twice runs the first time. What runs by
 * the hour or oftener goes on by the time that passes.
 * @param zone of the IANA database
 * @throws Error saying what is wrong with the expression or the zone
 */
export function readCron(expression: string, zone: string): Cron {
  const mode = expression.startsWith("@") ? "auto" : "5-part";
  const cron = new Cron(expression, { paused: true, timezone: zone, mode, fixedTimeRule: "no-wildcard" });
  // Only a look at the calendar tells that a zone exists.
  cron.nextRun();
  return cron;
}

/** The next time after `after` that an expression names; null when it never comes. @throws Error as `readCron` */
export function nextCronTime(expression: string, zone: string, after: Date): Date | null {
  return readCron(expression, zone).nextRun(after);
}

/** Splits what a function's trigger says: `TZ=Europe/Vienna 0 9 * * *`. */
export function parseCronTrigger(text: string): { expression: string; zone: string } {
  const [, zone, expression] = /^(?:TZ=(\S+)\s+)?(.*)$/s.exec(text.trim()) ?? [];
  return { expression: expression ?? "", zone: zone ?? "UTC" };
}
