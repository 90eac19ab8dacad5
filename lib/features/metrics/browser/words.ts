/** Returns the title of a metric or a field: "net_revenue" as "Net revenue". */
export function toMetricTitle(name: string): string {
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
const EXACT = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
/** From here on a figure is read at a distance more easily than digit by digit. */
const SHORT_FROM = 1_000_000;

/** Formats a metric's value: "1.21M", "1,284.5", "no value". */
export function formatMetric(value: unknown): string {
  if (value === null || value === undefined || value === "") return "no value";
  const number = Number(value);
  if (!Number.isFinite(number)) return String(value);
  return (Math.abs(number) >= SHORT_FROM ? SHORT : EXACT).format(number);
}

/** Returns the relative change in percent; null if there is nothing to compare with. */
export function changeOf(now: unknown, before: unknown): number | null {
  if (now === null || before === null || now === undefined || before === undefined) return null;
  const [a, b] = [Number(now), Number(before)];
  return Number.isFinite(a) && Number.isFinite(b) && b !== 0 ? ((a - b) / Math.abs(b)) * 100 : null;
}

export function formatChange(percent: number): string {
  return `${percent > 0 ? "+" : percent < 0 ? "−" : ""}${Math.abs(percent).toFixed(1)}%`;
}

export const PERIODS = ["28d", "90d", "12m", "3y", "all"] as const;
export type MetricPeriod = (typeof PERIODS)[number];
export const PERIOD_WORDS: Readonly<Record<MetricPeriod, string>> = {
  "28d": "Last 28 days",
  "90d": "Last 90 days",
  "12m": "Last 12 months",
  "3y": "Last 3 years",
  all: "All time",
};
const DAYS: Readonly<Record<MetricPeriod, number | null>> = {
  "28d": 28,
  "90d": 90,
  "12m": null,
  "3y": null,
  all: null,
};
const MONTHS: Readonly<Record<MetricPeriod, number | null>> = {
  "28d": null,
  "90d": null,
  "12m": 12,
  "3y": 36,
  all: null,
};

/** Returns the first and last day of a period that ends on a day; whole months end with the day's month. */
export function boundsOf(period: MetricPeriod, today: Date): { from: string; to: string } | null {
  const [year, month, day] = [today.getFullYear(), today.getMonth(), today.getDate()];
  const days = DAYS[period];
  const months = MONTHS[period];
  if (days !== null) return { from: dayText(year, month, day - days + 1), to: dayText(year, month, day) };
  return months === null ? null : { from: dayText(year, month - months + 1, 1), to: dayText(year, month + 1, 0) };
}

function dayText(year: number, month: number, day: number): string {
  return new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
}
