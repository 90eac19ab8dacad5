/** Maximum length of a name in a message: longer than any field or column name; a sender may use any key. */
const NAME_CHARS_MAX = 100;
/** Maximum number of names of a path, of which the last ones tell the most. */
const NAMES_MAX = 10;

/** Returns a name that a sender chose, as it appears in a message. */
export function toShownName(name: PropertyKey): string {
  const text = String(name);
  return text.length <= NAME_CHARS_MAX ? text : `${text.slice(0, NAME_CHARS_MAX)}…`;
}

/** Returns the path of a wrong value, dotted, with at most about a thousand characters; empty for the whole input. */
export function toPathText(path: readonly PropertyKey[]): string {
  const names = path.slice(-NAMES_MAX).map(toShownName);
  return (path.length > NAMES_MAX ? ["…", ...names] : names).join(".");
}
