import { type Mark, MarkReader } from "../sql/marks.ts";

const MARK = /\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/y;
/** A slash after one of these starts a regular expression; after anything else it divides. */
const BEFORE_REGEX = "(,:[{=!&|?;";

/**
 * Returns the `{{name}}` of MongoDB shell text outside of strings, regular expressions and comments.
 * `[[, a: {{a}}]]` is an optional clause.
 */
export function readMongoMarks(text: string): Mark[] {
  if (!text.includes("{{")) return [];
  const marks = new MarkReader(text, isClause);
  let before = "";
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    const skipped = skipComment(text, at) ?? skipQuoted(text, at, before);
    if (skipped !== null) {
      if (text.charAt(at + 1) !== "/" && text.charAt(at + 1) !== "*") before = char;
      at = skipped;
      continue;
    }
    MARK.lastIndex = at;
    const found = MARK.exec(text);
    if (found) {
      marks.add({ name: found[1] ?? "", start: at, end: MARK.lastIndex });
      before = "}";
      at = MARK.lastIndex;
      continue;
    }
    if (!/\s/.test(char)) before = char;
    if (char === "[") marks.open(at);
    else if (char === "]") marks.close(at);
    at += 1;
  }
  return marks.all;
}

/** A nested array may be written as `[[a]]`, too, but none starts or ends with a comma. */
function isClause(inner: string): boolean {
  return inner.startsWith(",") || inner.endsWith(",");
}

function skipComment(text: string, at: number): number | null {
  const two = text.slice(at, at + 2);
  if (two !== "//" && two !== "/*") return null;
  const end = text.indexOf(two === "//" ? "\n" : "*/", at + 2);
  if (end < 0) return text.length;
  return two === "//" ? end + 1 : end + 2;
}

function skipQuoted(text: string, start: number, before: string): number | null {
  const open = text.charAt(start);
  const isRegex = open === "/" && (before === "" || BEFORE_REGEX.includes(before));
  if (!isRegex && open !== "'" && open !== '"' && open !== "`") return null;
  let isInClass = false;
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "\\") at += 1;
    else if (isRegex && char === "\n") return at;
    else if (isRegex && char === "[") isInClass = true;
    else if (isRegex && char === "]") isInClass = false;
    else if (char === open && !isInClass) return at + 1;
  }
  return text.length;
}
