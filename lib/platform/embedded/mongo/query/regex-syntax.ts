/** Horizontal white space: \h in PCRE. */
const HORIZONTAL = "\\t \\x{a0}\\x{1680}\\x{180e}\\x{2000}-\\x{200a}\\x{202f}\\x{205f}\\x{3000}";
/** Line-ending characters: \v in PCRE. */
const VERTICAL = "\\n\\x0b\\f\\r\\x{85}\\x{2028}\\x{2029}";
/** White space in PCRE without Unicode properties, as MongoDB compiles it; RE2's \s lacks the vertical tab. */
const SPACE = "\\t\\n\\x0b\\f\\r ";
const NOT_SPACE = "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{10ffff}";

/** Escapes with the same meaning in PCRE and RE2, outside a class. */
const SAME_OUTSIDE = "AzbBdDwWntrfa";
const SAME_INSIDE = "dDwWntrfa";

/**
 * Translates a PCRE pattern to RE2's syntax.
 * @returns undefined for features that RE2 lacks: assertions, backreferences, atomic groups, recursion, and escapes
 *   with another meaning there
 */
export function toRe2(pattern: string): string | undefined {
  let out = "";
  for (let i = 0; i < pattern.length; ) {
    const char = pattern[i] as string;
    let piece: Piece | undefined;
    if (char === "\\") piece = pattern[i + 1] === "Q" ? quoted(pattern, i) : escaped(pattern, i, false);
    else if (char === "[") piece = characterClass(pattern, i);
    else if (char === "(") piece = group(pattern, i);
    else piece = { text: char, end: i + 1 };
    if (piece === undefined) return undefined;
    out += piece.text;
    i = piece.end;
  }
  return out;
}

/** A translated part, and where the rest of the pattern begins. */
type Piece = { text: string; end: number };

function quoted(pattern: string, at: number): Piece {
  const close = pattern.indexOf("\\E", at + 2);
  const to = close < 0 ? pattern.length : close;
  const text = [...pattern.slice(at + 2, to)].map(literal).join("");
  return { text, end: close < 0 ? to : to + 2 };
}

function literal(char: string): string {
  return /[\\^$.|?*+()[\]{}-]/.test(char) ? `\\${char}` : char;
}

function escaped(pattern: string, at: number, isInClass: boolean): Piece | undefined {
  const char = String.fromCodePoint(pattern.codePointAt(at + 1) ?? 0);
  const end = at + 1 + char.length;
  if (at + 1 >= pattern.length) return undefined;
  if (!/[a-zA-Z0-9]/.test(char)) return { text: literal(char), end };
  if ((isInClass ? SAME_INSIDE : SAME_OUTSIDE).includes(char)) return { text: `\\${char}`, end };
  const wrap = (text: string): Piece => ({ text: isInClass ? text : `[${text}]`, end });
  switch (char) {
    case "s":
      return wrap(SPACE);
    case "S":
      return wrap(NOT_SPACE);
    case "h":
      return wrap(HORIZONTAL);
    case "v":
      return wrap(VERTICAL);
    case "e":
      return { text: "\\x1b", end };
    case "b":
      return { text: "\\x08", end };
    case "p":
    case "P":
      return rest(pattern, at, /\\[pP](?:[A-Z]|\{\^?[A-Za-z_]+\})/y);
    case "x":
      return rest(pattern, at, /\\x(?:[0-9a-fA-F]{2}|\{[0-9a-fA-F]{1,6}\})/y);
    case "u": {
      const code = rest(pattern, at, /\\u[0-9a-fA-F]{4}/y);
      return code === undefined ? undefined : { text: `\\x{${code.text.slice(2)}}`, end: code.end };
    }
    case "0":
      return /[0-7]/.test(pattern[end] ?? "") ? undefined : { text: "\\x00", end };
  }
  if (isInClass) return undefined;
  switch (char) {
    case "Z":
      return { text: "\\z", end };
    case "H":
      return { text: `[^${HORIZONTAL}]`, end };
    case "V":
      return { text: `[^${VERTICAL}]`, end };
    case "N":
      return { text: "[^\\n]", end };
    case "R":
      return { text: `(?:\\r\\n|[${VERTICAL}])`, end };
    default:
      return undefined;
  }
}

function rest(pattern: string, at: number, form: RegExp): Piece | undefined {
  form.lastIndex = at;
  const found = form.exec(pattern);
  return found === null ? undefined : { text: found[0], end: form.lastIndex };
}

function characterClass(pattern: string, at: number): Piece | undefined {
  let text = "[";
  let i = at + 1;
  if (pattern[i] === "^") text += pattern[i++];
  // A bracket in first position is literal.
  if (pattern[i] === "]") {
    text += "\\]";
    i++;
  }
  while (i < pattern.length) {
    const char = pattern[i] as string;
    let piece: Piece | undefined;
    if (char === "]") return { text: `${text}]`, end: i + 1 };
    if (char === "\\") piece = escaped(pattern, i, true);
    else if (char === "[") piece = rest(pattern, i, /\[:\^?[a-z]+:\]/y) ?? { text: "\\[", end: i + 1 };
    else piece = { text: char, end: i + 1 };
    if (piece === undefined) return undefined;
    text += piece.text;
    i = piece.end;
  }
  return undefined;
}

function group(pattern: string, at: number): Piece | undefined {
  if (pattern[at + 1] === "*") return undefined;
  if (pattern[at + 1] !== "?") return { text: "(", end: at + 1 };
  if (pattern[at + 2] === "#") {
    const close = pattern.indexOf(")", at);
    return close < 0 ? undefined : { text: "", end: close + 1 };
  }
  return rest(pattern, at, /\(\?(?:P?<[A-Za-z_]\w*>|[ims]*(?:-[ims]+)?[:)])/y);
}

/** Removes white space and comments from an expression with the option x. */
export function withoutLayout(source: string): string {
  let out = "";
  let isInClass = false;
  for (let i = 0; i < source.length; i++) {
    const char = source[i] as string;
    if (char === "\\") {
      out += char + (source[i + 1] ?? "");
      i++;
    } else if (isInClass) {
      out += char;
      if (char === "]") isInClass = false;
    } else if (char === "[") {
      out += char;
      isInClass = true;
    } else if (char === "#") {
      while (i < source.length && source[i] !== "\n") i++;
    } else if (!/\s/.test(char)) out += char;
  }
  return out;
}
