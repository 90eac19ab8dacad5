const SPACE = /[ \t\n\r]*/y;
const SCALAR =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those that no text of JSON may hold
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * Returns the offset at which a text stops being valid JSON; null for valid JSON. Browsers report it in different
 * words, or not at all.
 */
export function findJsonFault(text: string): number | null {
  /** Closing brackets of the lists and objects that are open here. */
  const open: ("]" | "}")[] = [];
  let at = 0;
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  let isEmpty = false;
  for (;;) {
    skip(SPACE);
    // A value, or the end of an empty list.
    const close = open.at(-1);
    if (isEmpty && text[at] === close) {
      open.pop();
      at += 1;
    } else {
      if (close === "}" && !skipName()) return at;
      if (text[at] === "{" || text[at] === "[") {
        open.push(text[at] === "{" ? "}" : "]");
        at += 1;
        isEmpty = true;
        continue;
      }
      if (skip(SCALAR) === "") return at;
    }
    isEmpty = false;
    skip(SPACE);
    while (open.length > 0 && text[at] === open.at(-1)) {
      open.pop();
      at += 1;
      skip(SPACE);
    }
    if (open.length === 0) return at === text.length ? null : at;
    if (text[at] !== ",") return at;
    at += 1;
  }

  function skipName(): boolean {
    if (text[at] !== '"' || skip(SCALAR) === "") return false;
    skip(SPACE);
    if (text[at] !== ":") return false;
    at += 1;
    skip(SPACE);
    return true;
  }
}
