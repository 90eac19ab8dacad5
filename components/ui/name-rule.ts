/**
 * What a form says of a name before the server does.
 * @param missing what it says of none
 * @param charsMax the most characters that the server takes
 */
export function nameRule(missing: string, charsMax: number) {
  return {
    validate: (name: string): true | string => {
      const chars = name.trim().length;
      if (chars === 0) return missing;
      return chars <= charsMax || `At most ${charsMax} characters.`;
    },
  };
}
