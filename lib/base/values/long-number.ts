/** Returns whether the text is a JSON number that exceeds a double. */
export function isLongNumber(text: string): boolean {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return false;
  const number = Number(text);
  return !Number.isFinite(number) || !Number.isSafeInteger(Math.trunc(number)) || text.length > 15;
}
