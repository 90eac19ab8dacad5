/**
 * Returns what is wrong with a name, which the form reports before the server does; undefined for a good one.
 * @param missing message for an empty name
 * @param charsMax the most characters that the server accepts
 */
export function findNameProblem(name: string, missing: string, charsMax: number): string | undefined {
  const chars = name.trim().length;
  if (chars === 0) return missing;
  return chars <= charsMax ? undefined : `Use at most ${charsMax} characters.`;
}
