/** Sums numbers as text, exactly: int64 and decimals arrive as strings, and no digit may be lost. */

const PLAIN = /^-?\d+(\.\d+)?$/;

/** Returns whether a text is a plain decimal number: no exponent, no spaces. */
export function isPlainNumber(text: string): boolean {
  return PLAIN.test(text);
}

/** Groups digits: "1234567.50" becomes "1,234,567.50". Text that is not a plain number is returned unchanged. */
export function groupDigits(text: string): string {
  if (!PLAIN.test(text)) return text;
  const [whole = "", fraction] = text.split(".");
  const first = whole.startsWith("-") ? 1 : 0;
  const head = whole.slice(0, first + ((whole.length - first) % 3 || 3));
  const grouped = [head, ...(whole.slice(head.length).match(/\d{3}/g) ?? [])].join(",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Compares two plain numbers of any length; other text sorts after them, alphabetically. */
export function compareNumberText(a: string, b: string): number {
  const x = toScaled(a);
  const y = toScaled(b);
  if (x === null || y === null) {
    if (x !== null) return -1;
    if (y !== null) return 1;
    const m = Number(a);
    const n = Number(b);
    return Number.isNaN(m) || Number.isNaN(n) ? a.localeCompare(b) : m - n;
  }
  const scale = Math.max(x.scale, y.scale);
  const left = rescale(x, scale);
  const right = rescale(y, scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * Returns the exact sum and the average of plain numbers.
 * @param averageDigits decimal places of the average, rounded half away from zero; never fewer than the sum has
 * @param countOf number of values, if some of the texts are already sums
 * @returns null if one of them is not a plain number, or there are none
 */
export function sumNumberTexts(
  texts: string[],
  averageDigits = 2,
  countOf = texts.length,
): { sum: string; average: string } | null {
  if (texts.length === 0) return null;
  const numbers: Scaled[] = [];
  for (const text of texts) {
    const number = toScaled(text);
    if (number === null) return null;
    numbers.push(number);
  }
  const scale = numbers.reduce((most, number) => Math.max(most, number.scale), 0);
  const sum = numbers.reduce((total, number) => total + rescale(number, scale), 0n);
  const digits = Math.max(scale, averageDigits);
  const scaled = sum * 10n ** BigInt(digits - scale);
  const count = BigInt(countOf);
  const half = scaled < 0n ? -count : count;
  const average = (scaled * 2n + half) / (count * 2n);
  return { sum: toNumberText(sum, scale), average: toNumberText(average, digits) };
}

/** A plain number as an integer, with the number of its decimal places. */
export type Scaled = { value: bigint; scale: number };

/** @returns null for text that is not a plain number */
export function toScaled(text: string): Scaled | null {
  if (!PLAIN.test(text)) return null;
  const point = text.indexOf(".");
  const scale = point < 0 ? 0 : text.length - point - 1;
  return { value: BigInt(text.replace(".", "")), scale };
}

/** Returns the same number with more decimal places. */
export function rescale(number: Scaled, scale: number): bigint {
  return number.value * 10n ** BigInt(scale - number.scale);
}

/** Returns the text of a number with that many decimal places. */
export function toNumberText(value: bigint, scale: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0");
  const sign = value < 0n ? "-" : "";
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
