const WHITESPACE = new Set([" ", "\t", "\n", "\r"]);
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/**
 * Returns where a text stops being JSON, with line and column from 1; null for JSON. Messages of `JSON.parse` name no
 * place for some errors.
 */
export function jsonErrorPlace(text: string): { line: number; column: number } | null {
  const at = errorAt(text);
  if (at === null) return null;
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}

function errorAt(text: string): number | null {
  const closers: string[] = [];
  let expected: "value" | "first" | "key" | "firstKey" | "colon" | "next" = "value";
  for (let at = 0; ; ) {
    while (WHITESPACE.has(text[at] ?? "")) at++;
    const char = text[at];
    const closer = closers.at(-1);
    if (expected === "next" && closer === undefined) return char === undefined ? null : at;
    if (char === undefined) return at;
    const isEnd = char === closer && (expected === "next" || expected === "first" || expected === "firstKey");
    if (isEnd) {
      closers.pop();
      expected = "next";
      at++;
    } else if (expected === "next") {
      if (char !== ",") return at;
      expected = closer === "}" ? "key" : "value";
      at++;
    } else if (expected === "colon") {
      if (char !== ":") return at;
      expected = "value";
      at++;
    } else if (expected === "key" || expected === "firstKey") {
      if (char !== '"') return at;
      const end = endOfString(text, at);
      if (!end.isClosed) return end.at;
      expected = "colon";
      at = end.at;
    } else if (char === "{" || char === "[") {
      closers.push(char === "{" ? "}" : "]");
      expected = char === "{" ? "firstKey" : "first";
      at++;
    } else {
      const end = char === '"' ? endOfString(text, at) : endOfScalar(text, at);
      if (!end.isClosed) return end.at;
      expected = "next";
      at = end.at;
    }
  }
}

type End = { at: number; isClosed: boolean };

function endOfScalar(text: string, from: number): End {
  SCALAR.lastIndex = from;
  return SCALAR.test(text) ? { at: SCALAR.lastIndex, isClosed: true } : { at: from, isClosed: false };
}

function endOfString(text: string, from: number): End {
  for (let at = from + 1; ; ) {
    const char = text[at];
    if (char === '"') return { at: at + 1, isClosed: true };
    if (char === undefined || char < " ") return { at, isClosed: false };
    ESCAPE.lastIndex = at;
    if (char !== "\\") at++;
    else if (ESCAPE.test(text)) at = ESCAPE.lastIndex;
    else return { at, isClosed: false };
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Returns the line, from 1, of the value at a path of a JSON text, or of the closest value around it.
 * @param text valid JSON
 * @param path names and indexes, dotted
 */
export function jsonLineOf(text: string, path: string): number {
  const open: { path: string; isList: boolean; index: number; name: string | null }[] = [];
  let found = { path: "", at: 0 };
  for (const { 0: token, index: at } of text.matchAll(TOKEN)) {
    const inside = open.at(-1);
    if (token === "}" || token === "]") open.pop();
    else if (token === ",") {
      if (inside?.isList) inside.index += 1;
      else if (inside) inside.name = null;
    } else if (inside && !inside.isList && inside.name === null) inside.name = String(JSON.parse(token));
    else if (token !== ":") {
      const name = inside && String(inside.isList ? inside.index : inside.name);
      const own = inside && name !== undefined ? (inside.path === "" ? name : `${inside.path}.${name}`) : "";
      // Of two equal names, the last one counts.
      const isAround = own === "" || own === path || path.startsWith(`${own}.`);
      if (isAround && own.length >= found.path.length) found = { path: own, at };
      if (token === "{" || token === "[") open.push({ path: own, isList: token === "[", index: 0, name: null });
    }
  }
  return text.slice(0, found.at).split("\n").length;
}
