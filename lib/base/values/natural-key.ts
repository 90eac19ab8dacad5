const ASCII = /^[\x20-\x7e]*$/;
const MARKS = /\p{M}/gu;
const DIGITS = /\d+/g;
const HAS_DIGIT = /\d/;
/** Maximum length: it is written as one character after "0", and must sort before the letters. */
const LENGTH_MAX = 48;

/**
 * Returns a sort key for comparison with a plain `<`: without case and accents, and with numbers by their value, so
 * that "item 9" comes before "item 10". A collator gives the same order, but takes ten times as long, which is too long
 * for a million rows.
 */
export function naturalKey(text: string): string {
  const folded = (ASCII.test(text) ? text : text.normalize("NFD").replace(MARKS, "")).toLowerCase();
  return HAS_DIGIT.test(folded) ? folded.replace(DIGITS, numberKey) : folded;
}

/** Writes the number's length before its digits: the longer of two numbers is the greater. */
function numberKey(digits: string): string {
  const significant = digits.replace(/^0+(?=\d)/, "");
  return String.fromCharCode(0x30 + Math.min(LENGTH_MAX, significant.length)) + significant;
}
