const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const month = new Intl.DateTimeFormat("en", { month: "short", year: "numeric", timeZone: "UTC" });
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

/** Decimals are text, so that they keep every digit. */
export type Amount = string | number | null;

export const toCount = (amount: Amount) => whole.format(Number(amount));
export const toEuro = (amount: Amount) => `€${whole.format(Number(amount))}`;
export const toShortEuro = (amount: Amount) => `€${short.format(Number(amount))}`;
export const toMonth = (date: string) => month.format(new Date(date));
export const toDay = (date: string) => day.format(new Date(date));

/** Formats the age of rows. */
export function toAge(ageMs: number): string {
  const minutes = Math.round(ageMs / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.round(hours / 24)} days ago`;
}
