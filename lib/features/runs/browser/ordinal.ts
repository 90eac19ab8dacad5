/** Formats an ordinal: 1 as "1st", 22 as "22nd", 13 as "13th". */
export function formatOrdinal(n: number): string {
  const tens = n % 100;
  const ending = tens > 10 && tens < 14 ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[n % 10] ?? "th");
  return `${n}${ending}`;
}
