/**
 * Returns a form rule for names, which reports problems before the server does.
 * @param missing message for an empty name
 * @param charsMax the most characters that the server accepts
 */
export function nameRule(missing: string, charsMax: number) {
  return {
    validate: (name: string): true | string => {
      const chars = name.trim().length;
      if (chars === 0) return missing;
      return chars <= charsMax || `Use at most ${charsMax} characters.`;
    },
  };
}
