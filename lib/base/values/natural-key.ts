const ASCII = /^[\x20-\x7e]*$/;
const MARKS = /\p{M}/gu;
const DIGITS = /\d+/g;
const HAS_DIGIT = /\d/;
/** Lengths are written as one character behind "0", and must stay before the letters. */
const LENGTH_MAX = 48;

/**
 * A text by which texts can be put in order with a plain `<`: without case and accents, and with numbers inside by
 * their value, so that "item 9" stands before "item 10". A collator says the same, but takes ten times as long, which
 * is too long for a million rows.
 */
export function naturalKey(text: string): string {
  const folded = (ASCII.test(text) ? text : text.normalize("NFD").replace(MARKS, "")).toLowerCase();
  return HAS_DIGIT.test(folded) ? folded.replace(DIGITS, numberKey) : folded;
}

/** The number's length before its digits: of two numbers the longer one is the greater. */
function numberKey(digits: string): string {
  const significant = digits.replace(/^0+(?=\d)/, "");
  return String.fromCharCode(0x30 + Math.min(LENGTH_MAX, significant.length)) + significant;
}
