import { Lexer, ShellSyntaxError, type Token } from "@/lib/base/mongo-shell/lexer";
import type { Entity } from "@/lib/base/values/fields";
import type { ResultField } from "@/lib/base/values/json-rows";

/** Methods that do not change the documents. */
const PLAIN_METHODS = new Set([
  "sort",
  "limit",
  "skip",
  "hint",
  "collation",
  "toArray",
  "pretty",
  "batchSize",
  "maxTimeMS",
  "comment",
]);

/**
 * Returns the collection whose documents a result has: that of a find without a projection. Null for any other
 * statement, and for a result whose columns are not all fields.
 */
export function findSelectedCollection(
  statement: string,
  { entities, fields }: { entities: readonly Entity[]; fields: readonly ResultField[] },
): Entity | null {
  const name = readFind(statement);
  const entity = entities.find((each) => each.name === name && each.kind === "collection") ?? null;
  if (entity === null || !fields.some((field) => field.name === "_id")) return null;
  // The last column of many documents may hold the fields without a column.
  const isOther = fields.at(-1)?.name === "_other" && !entity.columns?.some((column) => column.name === "_other");
  return isOther ? null : entity;
}

/** Returns the name of the collection of a find without a projection; null for other statements. */
function readFind(statement: string): string | null {
  let tokens: Token[];
  try {
    tokens = toTokens(statement);
  } catch (error) {
    if (error instanceof ShellSyntaxError) return null;
    throw error;
  }
  const texts = tokens.map(({ text }) => text);
  const isMethod = texts[1] === "." && texts[2] === "getCollection" && texts[3] === "(";
  const named = texts[0] !== "db" ? null : isMethod ? tokens[4] : tokens[2];
  const after = isMethod ? 6 : texts[1] === "[" ? 4 : 3;
  if (!named || texts[after] !== "." || !/^find(?:One)?$/.test(texts[after + 1] ?? "")) return null;
  const name = named.kind === "string" ? named.value : named.kind === "name" && !isMethod ? named.text : null;
  const calls = toCalls(tokens.slice(after));
  const [find, ...others] = calls ?? [];
  if (!find || find.argumentCount > 1 || others.some((call) => !PLAIN_METHODS.has(call.method))) return null;
  return name;
}

function toTokens(text: string): Token[] {
  const lexer = new Lexer(text);
  const tokens: Token[] = [];
  for (;;) {
    const last = tokens.at(-1);
    const token = lexer.next(!last || (last.kind === "symbol" && !")]}".includes(last.text)));
    if (token.kind === "end") return tokens;
    tokens.push(token);
  }
}

/** Returns the calls of a chain such as `.find({}).limit(5)`; null if the text is no such chain. */
function toCalls(tokens: readonly Token[]): { method: string; argumentCount: number }[] | null {
  const calls: { method: string; argumentCount: number }[] = [];
  let at = 0;
  while (at < tokens.length && tokens[at]?.text !== ";") {
    const method = tokens[at + 1];
    if (tokens[at]?.text !== "." || method?.kind !== "name" || tokens[at + 2]?.text !== "(") return null;
    let [depth, argumentCount] = [1, 0];
    for (at += 3; depth > 0; at += 1) {
      const token = tokens[at];
      if (!token) return null;
      const sign = token.kind === "symbol" ? token.text : "";
      if (argumentCount === 0 && sign !== ")") argumentCount = 1;
      if (sign !== "" && "([{".includes(sign)) depth += 1;
      else if (sign !== "" && ")]}".includes(sign)) depth -= 1;
      else if (sign === "," && depth === 1 && tokens[at + 1]?.text !== ")") argumentCount += 1;
    }
    calls.push({ method: method.text, argumentCount });
  }
  return calls;
}
