import { COMMON_PASSWORDS } from "@/lib/features/accounts/browser/common-passwords";

/** 0 for an empty text; 1 to 4 fill that many segments of the bar. */
export type PasswordStrength = { score: 0 | 1 | 2 | 3 | 4; isCommon: boolean };

/**
 * Bits of entropy from which the bar has two, three and four segments: an offline attack takes half an hour, a year,
 * forever.
 */
const SCORE_BITS = [36, 50, 64] as const;

/**
 * Estimates how hard a password is to guess, for the bar under the field. It only advises: the form warns about a
 * common password and does not refuse it (docs/develop/api.md, Accounts).
 * @param hints the user's name and address, which are easy guesses
 */
export function toPasswordStrength(password: string, hints: string[] = []): PasswordStrength {
  if (password === "") return { score: 0, isCommon: false };
  const folded = password.toLowerCase();
  const isCommon = COMMON_PASSWORDS.has(folded) || COMMON_PASSWORDS.has(folded.replace(/[\d!?.]+$/, ""));
  if (isCommon) return { score: 1, isCommon: true };
  const bits = countBits(password, hints);
  const score = bits < SCORE_BITS[0] ? 1 : bits < SCORE_BITS[1] ? 2 : bits < SCORE_BITS[2] ? 3 : 4;
  return { score, isCommon: false };
}

function countBits(password: string, hints: string[]): number {
  let rest = password.toLowerCase();
  for (const hint of hints.flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u))) {
    if (hint.length >= 3) rest = rest.replaceAll(hint, "*");
  }
  // A run of the same letter, or of neighbours (abcd, 4321), counts as one letter.
  const letters = [...rest].filter((letter, i, all) => {
    const step = (letter.codePointAt(0) ?? 0) - (all[i - 1]?.codePointAt(0) ?? -9);
    return i === 0 || Math.abs(step) > 1;
  });
  let alphabet = 0;
  if (/\p{L}/u.test(rest)) alphabet += 26;
  if (password !== password.toLowerCase()) alphabet += 26;
  if (/\d/.test(rest)) alphabet += 10;
  if (/[^\p{L}\p{N}]/u.test(rest)) alphabet += 20;
  // Words are easier to guess than letters: seven words of a sentence are not thirty-five random letters.
  const words = rest.split(/\s+/).filter((word) => word.length > 2).length;
  const asLetters = letters.length * Math.log2(Math.max(alphabet, 2));
  return words > 1 ? Math.min(asLetters, words * 16) : Math.min(asLetters, new Set(letters).size * 7);
}
