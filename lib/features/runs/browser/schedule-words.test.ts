import { describe, expect, it } from "vitest";
import { toScheduleWords } from "@/lib/features/runs/browser/schedule-words";

describe("a cron expression in words", () => {
  it.each([
    ["0 7 * * 1", "Every Monday at 07:00"],
    ["0 7 * * *", "Every day at 07:00"],
    ["0 * * * *", "Every hour on the hour"],
    ["15 * * * *", "Every hour at minute 15"],
    ["* * * * *", "Every minute"],
    ["*/15 * * * *", "Every 15 minutes"],
    ["0 */2 * * *", "Every 2 hours on the hour"],
    ["0 7,19 * * 1,4", "Every Monday and Thursday at 07:00 and 19:00"],
    ["30 9 * * MON-FRI", "Every weekday at 09:30"],
    ["0 9 * * 6,0", "Every Saturday and Sunday at 09:00"],
    ["0 9 * * 0-6", "Every day at 09:00"],
    ["0 6 1 * *", "On the 1st of every month at 06:00"],
    ["0 6 L * *", "On the last day of every month at 06:00"],
    ["0 6 1,15 1,jun *", "On the 1st and 15th of January and June at 06:00"],
    ["0 6 1 * 1", "On the 1st of every month and every Monday at 06:00"],
    ["0 6 * 12 *", "Every day in December at 06:00"],
    ["*/10 8-17 * * 1-5", "Every 10 minutes from 08:00 to 17:59, every weekday"],
    ["*/30 * * * 1", "Every 30 minutes, every Monday"],
    ["5 8-17 * * *", "Every hour at minute 5 from 08:00 to 17:59"],
  ])("%s: %s", (cron, words) => expect(toScheduleWords(cron)).toBe(words));

  it.each(["", "0 7 * *", "0 7 * * 1#2", "0 7 15W * *", "0 7 * * 5L", "61 7 * * *", "0 7 ? * *", "0 7 * * 5-1"])(
    "is null for %j rather than wrong",
    (cron) => expect(toScheduleWords(cron)).toBeNull(),
  );
});
