import { type SqlToken as Token, upper } from "../../../../base/sql/lexer.ts";
import { READ_ONLY_MESSAGE } from "../../../../base/sql/statement-messages.ts";
import { AppError } from "../../../../platform/http/errors.ts";
import { BEFORE_PARENTHESIS, READING_FUNCTIONS } from "./functions.ts";

/** Maximum names to look up for one statement: each costs the server a fraction of a millisecond. */
export const NAMES_MAX = 1000;

/** A name as written; without a schema it belongs to the current one. */
export type Reference = { schema: string | null; name: string };
/** `isBuiltIn`: most versions of the server have a built-in function of that name. */
export type Call = Reference & { isBuiltIn: boolean };
export type References = { calls: Call[]; tables: Reference[] };

/**
 * Keywords after which no table follows until the next FROM or JOIN of the same parenthesis. ORDER and GROUP: see
 * below.
 */
const ENDS_TABLES = new Set(["SELECT", "WHERE", "HAVING", "LIMIT"]);
const BEGINS_TABLES = new Set(["FROM", "JOIN", "STRAIGHT_JOIN", "TABLE"]);
/** Reserved words of every version that occur between tables. */
const BETWEEN_TABLES = new Set([
  ...["ALL", "AND", "AS", "BETWEEN", "CASE", "CROSS", "DISTINCT", "DUAL", "ELSE", "EXISTS", "FALSE", "FOR", "FORCE"],
  ...["GROUP", "IGNORE", "IN", "INDEX", "INNER", "INTERVAL", "IS", "KEY", "LEFT", "LIKE", "NATURAL", "NOT", "NULL"],
  ...["ON", "OR", "ORDER", "OUTER", "RIGHT", "THEN", "TRUE", "UNION", "USE", "USING", "WHEN", "WITH"],
  ...ENDS_TABLES,
  ...BEGINS_TABLES,
]);

/**
 * Returns the functions that a query, or a routine's body, calls, and the tables that it reads.
 * @param isBody INTO assigns a variable there
 * @throws AppError `not_allowed`, `read_only` for words that do more than read
 */
export function readReferences(tokens: readonly Token[], isBody = false): References {
  const references: References = { calls: [], tables: [] };
  let isTables = false;
  const outer: boolean[] = [];
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] as Token;
    if (isSymbol(token, "(")) outer.push(isTables);
    if (isSymbol(token, ")")) isTables = outer.pop() ?? false;
    if (token.kind !== "word" && token.kind !== "name") {
      at += 1;
      continue;
    }
    const word = wordOf(token);
    refuseWord(tokens, at, isBody);
    if (BEGINS_TABLES.has(word)) isTables = true;
    else if (ENDS_TABLES.has(word)) isTables = false;
    // An index hint contains them too: USE INDEX FOR ORDER BY (a), and the next table.
    else if ((word === "ORDER" || word === "GROUP") && wordOf(tokens[at - 1]) !== "FOR") isTables = false;
    // `{oj .t}` is the table t of the current schema: the word after the brace is not a schema.
    const isAlone = BETWEEN_TABLES.has(word) || isSymbol(tokens[at - 1], "{");
    const chain = isAlone ? [token] : chainAt(tokens, at);
    const end = at + chain.length * 2 - 1;
    if (isSymbol(tokens[end], "(")) readCall(tokens, at, chain, end, references);
    else if (isTables && chain.length <= 2 && !BETWEEN_TABLES.has(word) && wordOf(tokens[at - 1]) !== "AS") {
      references.tables.push(toReference(chain));
    }
    at = end;
  }
  return references;
}

/** Returns the names from here on that dots join. */
function chainAt(tokens: readonly Token[], at: number): Token[] {
  const chain = [tokens[at] as Token];
  for (let next = at + 1; isSymbol(tokens[next], "."); next += 2) {
    const name = tokens[next + 1];
    if (name?.kind !== "word" && name?.kind !== "name") break;
    chain.push(name);
  }
  return chain;
}

function readCall(
  tokens: readonly Token[],
  at: number,
  chain: readonly Token[],
  open: number,
  references: References,
): void {
  const isPlain = chain.length === 1 && !isSymbol(tokens[at - 1], ".");
  const word = isPlain ? wordOf(tokens[at]) : "";
  if (BEFORE_PARENTHESIS.has(word)) return;
  // The columns of a table alias: `AS t (a, b)`, `WITH t (a, b) AS (`.
  if (isPlain && (wordOf(tokens[at - 1]) === "AS" || isNamedWithColumns(tokens, open))) return;
  if (chain.length > 2) throw notAllowed(`${textOf(chain)} is not allowed on a read-only connection.`);
  const isBuiltIn = isPlain && READING_FUNCTIONS.has(upper(chain[0]?.text ?? ""));
  references.calls.push({ ...toReference(chain), isBuiltIn });
}

function isNamedWithColumns(tokens: readonly Token[], open: number): boolean {
  let at = open + 1;
  while (tokens[at]?.kind === "word" || tokens[at]?.kind === "name" || isSymbol(tokens[at], ",")) at += 1;
  return isSymbol(tokens[at], ")") && wordOf(tokens[at + 1]) === "AS" && isSymbol(tokens[at + 2], "(");
}

function refuseWord(tokens: readonly Token[], at: number, isBody: boolean): void {
  const [word, next] = [wordOf(tokens[at]), wordOf(tokens[at + 1])];
  // All of these are reserved: a column of such a name must be quoted or qualified.
  if (word === "INTO" && !(isBody && isVariable(tokens[at + 1]))) {
    throw notAllowed("SELECT ... INTO is not allowed on a read-only connection.");
  }
  if (word === "LOCK" || (word === "FOR" && (next === "UPDATE" || next === "SHARE"))) {
    throw new AppError("read_only", "Row locks are not allowed on a read-only connection. Remove FOR UPDATE.");
  }
  if (word === "PROCEDURE") throw notAllowed("CALL is not allowed on a read-only connection.");
  const isCalled = isSymbol(tokens[at + 1], "(");
  const isChange = word === "UPDATE" || word === "DELETE" || ((word === "INSERT" || word === "REPLACE") && !isCalled);
  if (isChange || (word === "NEXT" && next === "VALUE")) throw new AppError("read_only", READ_ONLY_MESSAGE);
}

/** Returns whether INTO is followed by a variable. OUTFILE is reserved, and a variable called DUMPFILE must be quoted. */
function isVariable(token: Token | undefined): boolean {
  if (token?.kind === "variable") return !token.text.startsWith("@@");
  return token?.kind === "name" || (token?.kind === "word" && !/^(?:OUT|DUMP)FILE$/.test(wordOf(token)));
}

function toReference(chain: readonly Token[]): Reference {
  const [first, second] = chain;
  return second ? { schema: first?.text ?? "", name: second.text } : { schema: null, name: first?.text ?? "" };
}

function textOf(chain: readonly Token[]): string {
  return chain.map((token) => token.text).join(".");
}

export function isSymbol(token: Token | undefined, text: string): boolean {
  return token?.kind === "symbol" && token.text === text;
}

/** Returns the keyword that the token may be, in capitals; empty for any other token. */
export function wordOf(token: Token | undefined): string {
  return token?.kind === "word" ? upper(token.text) : "";
}

export function notAllowed(message: string): AppError {
  return new AppError("not_allowed", message);
}

export function tooManyNames(): AppError {
  return notAllowed(`The statement uses more than ${NAMES_MAX} tables and functions.`);
}
