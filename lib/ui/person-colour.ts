/** Each holds white text at 4.5:1 or better. */
const COLOURS = ["#2E6F73", "#7A4B8C", "#A0552A", "#3F63A8", "#8A3A55", "#4B6B2F"];

/** A person's colour: the same everywhere and always, spread evenly over ids. */
export function toPersonColour(userId: string): string {
  let sum = 0;
  for (const char of userId) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 65_521;
  return COLOURS[sum % COLOURS.length] ?? "#2E6F73";
}
