import { Cron } from "croner";

/**
 * Parses a cron expression of five fields (or a name such as @hourly) in a time zone. When clocks go forward, a skipped
 * time runs at the end of the gap. When they go back, a repeated time runs the first time only. Hourly or more frequent
 * schedules follow the elapsed time.
 * @param zone name in the IANA database
 * @throws Error that describes the problem with the expression or the zone
 */
export function readCron(expression: string, zone: string): Cron {
  const mode = expression.startsWith("@") ? "auto" : "5-part";
  const cron = new Cron(expression, { paused: true, timezone: zone, mode, fixedTimeRule: "no-wildcard" });
  // The zone is validated only when a date is computed.
  cron.nextRun();
  return cron;
}

/** Returns the next time of an expression after `after`; null when there is none. @throws Error as `readCron` */
export function nextCronTime(expression: string, zone: string, after: Date): Date | null {
  return readCron(expression, zone).nextRun(after);
}

/** Parses a cron trigger such as `TZ=Europe/Vienna 0 9 * * *`. The zone defaults to UTC. */
export function parseCronTrigger(text: string): { expression: string; zone: string } {
  const [, zone, expression] = /^(?:TZ=(\S+)\s+)?(.*)$/s.exec(text.trim()) ?? [];
  return { expression: expression ?? "", zone: zone ?? "UTC" };
}
