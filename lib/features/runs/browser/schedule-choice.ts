import { two } from "@/lib/platform/browser/format-time";
/** A schedule as chosen in the form, equivalent to a cron expression. Days of the week are 1 (Monday) to 7. */
export type ScheduleChoice =
  | { kind: "hourly"; minute: number }
  | { kind: "daily"; time: string }
  | { kind: "weekly"; time: string; days: number[] }
  /** A null `day` is the last day of the month. */
  | { kind: "monthly"; time: string; day: number | null }
  | { kind: "custom"; cron: string };
export type ChoiceKind = ScheduleChoice["kind"];

const DAY_NUMBERS = /^[0-7](-[0-7])?(,[0-7](-[0-7])?)*$/;

/** Returns the choice equivalent to the expression; `custom` if no simple choice is. */
export function toChoice(cron: string): ScheduleChoice {
  const custom: ScheduleChoice = { kind: "custom", cron };
  const [minutes = "", hours = "", dayOfMonth = "", month = "", weekday = "", ...rest] = cron.trim().split(/\s+/);
  const minute = toNumber(minutes, 59);
  if (minute === null || month !== "*" || rest.length > 0) return custom;
  const isEveryDay = dayOfMonth === "*" && weekday === "*";
  if (hours === "*") return isEveryDay ? { kind: "hourly", minute } : custom;
  const hour = toNumber(hours, 23);
  if (hour === null) return custom;
  const time = `${two(hour)}:${two(minute)}`;
  if (isEveryDay) return { kind: "daily", time };
  if (dayOfMonth === "*" && DAY_NUMBERS.test(weekday)) {
    const days = toDays(weekday);
    return days === null ? custom : { kind: "weekly", time, days };
  }
  if (weekday !== "*") return custom;
  if (dayOfMonth === "L") return { kind: "monthly", time, day: null };
  const day = toNumber(dayOfMonth, 31);
  return day === null || day === 0 ? custom : { kind: "monthly", time, day };
}

/** Returns the expression of five fields. A weekly choice without a day has none: "". */
export function toCron(choice: ScheduleChoice): string {
  if (choice.kind === "custom") return choice.cron;
  if (choice.kind === "hourly") return `${choice.minute} * * * *`;
  const [hour = 0, minute = 0] = choice.time.split(":").map(Number);
  const at = `${minute} ${hour}`;
  if (choice.kind === "daily") return `${at} * * *`;
  if (choice.kind === "monthly") return `${at} ${choice.day ?? "L"} * *`;
  return choice.days.length === 0 ? "" : `${at} * * ${choice.days.map((day) => day % 7).join(",")}`;
}

/** Changes the kind of a choice and keeps what the two have in common, such as the time of day. */
export function changeKind(choice: ScheduleChoice, kind: ChoiceKind): ScheduleChoice {
  const time = "time" in choice ? choice.time : "07:00";
  if (kind === "hourly") return { kind, minute: Number(time.split(":")[1]) };
  if (kind === "daily") return { kind, time };
  if (kind === "weekly") return { kind, time, days: [1] };
  if (kind === "monthly") return { kind, time, day: 1 };
  return { kind, cron: toCron(choice) };
}

/** Returns the days, Monday first, each once; null for a reversed range. */
function toDays(weekday: string): number[] | null {
  const days = new Set<number>();
  for (const part of weekday.split(",")) {
    const [from = 0, to = from] = part.split("-").map(Number);
    if (to < from) return null;
    for (let day = from; day <= to; day++) days.add(day === 0 ? 7 : day);
  }
  return [...days].sort((a, b) => a - b);
}

function toNumber(text: string, max: number): number | null {
  return /^\d{1,2}$/.test(text) && Number(text) <= max ? Number(text) : null;
}
