import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { SQL_KEYWORDS } from "@/lib/base/sql/keywords";
import { readSqlTokens, type SqlToken } from "@/lib/base/sql/lexer";
import { toSqlName } from "@/lib/base/sql/names";
import { describeQueryError } from "@/lib/base/sql/query-error";
import { suggestCorrections } from "@/lib/base/sql/query-suggestions";
import { findClosest } from "@/lib/base/values/edit-distance";
import type { ToolCall, ToolResult } from "./conversation";
import { fitOf } from "./schema";
import { nameWords } from "./words";

/*
 * Repairs a user's query that a database refused: names that do not exist, misspelt keywords, one comma too many. It
 * runs each change, so that it only suggests queries that work.
 */

export type FailedQuery = { message: string; sql: string };
type Turn = Generator<ToolCall[], string, ToolResult[]>;
type Place = { id: string; dialect: SqlDialect };
type Column = { name: string };
type Table = Column & { schema?: string };
/** A change to the text: `by` replaces these tokens, and `words` explains it to the user. */
type Change = { tokens: readonly Pick<SqlToken, "start" | "end">[]; by: string; words: string };

const SQL_BLOCK = /```(?:[a-z]+)?[ \t]*\r?\n([\s\S]*?)\r?\n?```/i;
/** Maximum number of changes to a query. The tool allows as many failures in a turn. */
const CHANGES_MAX = 3;
const LISTED_MAX = 60;
/** Length of the prefix to search for in a large database: the start of a mistyped name is usually right. */
const BEGINNING_CHARS = 3;
const DESCRIBED_MAX = 14;
const SEARCHES_MAX = 6;
const RESULT_ROWS = 20;
/** Minimum fit of names with the same words in another order, or with most of them. */
const SAME_WORDS_FIT = 0.6;
/** Keywords that people mistype; the first of two equally close ones wins. Shorter ones are too close to names. */
const MEANT =
  "select from where group order having join left inner outer limit offset and not between like distinct union case when then else end desc asc with values".split(
    " ",
  );
const WORD_CHARS_MIN = 3;
const READS = /^\s*(?:select|with|from|values|table|show|describe|explain|summarize)\b/i;

/** Returns a request to repair a query, with the database's message; null for any other question. */
export function failedQuery(question: string): FailedQuery | null {
  const asked =
    /^\s*(?:please )?(?:fix|mend|repair|correct)\b(?: (?:this|the|my))?(?: (?:error|query|sql))?[:.]?/i.exec(question);
  const block = SQL_BLOCK.exec(question);
  const sql = block?.[1]?.trim();
  if (!asked || !block || !sql) return null;
  return { message: question.slice(asked[0].length, block.index).trim(), sql };
}

export function* repair(place: Place, { message, sql }: FailedQuery): Turn {
  const tables = yield* listTables(place, message, sql);
  const told: string[] = [];
  let text = sql;
  let refusal = message;
  for (let round = 0; round < CHANGES_MAX; round += 1) {
    const change = yield* findChange(place, text, refusal, tables);
    if (!change) break;
    for (const { start, end } of change.tokens.toReversed()) text = text.slice(0, start) + change.by + text.slice(end);
    told.push(change.words);
    if (!READS.test(text)) {
      return `${told.join(" ")} The statement changes data, so I didn't run it. Run it in a console:\n\n${quoted(text)}`;
    }
    const [result] = yield [{ tool: "run_query", input: { connectionId: place.id, query: text, limit: RESULT_ROWS } }];
    if (result?.isOk) {
      const rows = Number(result.value.rowCount ?? 0);
      const counted = `${rows}${result.value.truncated === true && rows >= RESULT_ROWS ? " or more" : ""}`;
      return `${told.join(" ")} It now runs and returns ${counted} ${rows === 1 ? "row" : "rows"}:\n\n${quoted(text)}`;
    }
    refusal = result?.message ?? "";
  }
  const tried = told.length === 0 ? "" : ` I tried: ${told.join(" ")} The database rejected it again.`;
  return `${meaning(refusal)}${tried} I couldn't fix it. Check the position in the error, or use another model.`;
}

function* findChange(
  place: Place,
  text: string,
  message: string,
  listed: readonly Table[],
): Generator<ToolCall[], Change | null, ToolResult[]> {
  const { unknown, name } = describeQueryError(message);
  const tables = listed.map((table) => table.name);
  const tokens = readSqlTokens(text, place.dialect);
  if (unknown === "table" && name) {
    const bare = name.split(".").at(-1) ?? name;
    const failed = { text, dialect: place.dialect, message, details: {} };
    const entities = listed.map((table) => ({ ...table, kind: "table" as const }));
    const moved = suggestCorrections(failed, entities).find((each) =>
      each.text.toLowerCase().endsWith(`.${bare.toLowerCase()}`),
    );
    if (moved) {
      const { from: start, to: end, replacement } = moved;
      return {
        tokens: [{ start, end }],
        by: replacement,
        words: `The table is in another schema: \`${code(moved.text)}\`.`,
      };
    }
    const meant = findClosest(bare, tables) ?? sameWords(bare, tables);
    if (meant) return rename(tokensOf(tokens, bare), meant, place, "table");
  }
  if (unknown === "column" && name) {
    const bare = name.split(".").at(-1) ?? name;
    const columns = yield* columnsOf(place, tokens, tables);
    const meant = findClosest(bare, columns) ?? sameWords(bare, columns);
    const places = tokensOf(tokens, bare);
    // If another table has it, only one of them is wrong.
    if (meant) return rename(columns.includes(bare) ? places.slice(0, 1) : places, meant, place, "column");
  }
  return commaTooMany(tokens) ?? mistypedWord(tokens, name, tables);
}

/**
 * Lists the tables, up to one page. In a large database: those of the query, and those that start like the wrong name.
 */
function* listTables(
  { id, dialect }: Place,
  message: string,
  sql: string,
): Generator<ToolCall[], Table[], ToolResult[]> {
  const [result] = yield [{ tool: "list_entities", input: { connectionId: id, limit: LISTED_MAX } }];
  if (!result?.isOk) return [];
  const listed = tablesOf(result.value.entities);
  if (Number(result.value.total ?? listed.length) <= listed.length) return listed;
  const wrong = describeQueryError(message).name?.split(".").at(-1)?.slice(0, BEGINNING_CHARS);
  const own = readSqlTokens(sql, dialect).filter(
    (token) => isName(token) && !SQL_KEYWORDS.has(token.text.toLowerCase()) && token.text.length >= WORD_CHARS_MIN,
  );
  const words = [...new Set([...(wrong ? [wrong] : []), ...own.map(({ text }) => text)])].slice(0, SEARCHES_MAX);
  const results = yield words.map((search) => ({
    tool: "list_entities",
    input: { connectionId: id, search, limit: LISTED_MAX },
  }));
  return [...listed, ...results.flatMap((each) => (each.isOk ? tablesOf(each.value.entities) : []))];
}

/** Returns the columns of the tables that the query names. */
function* columnsOf(
  { id }: Place,
  tokens: readonly SqlToken[],
  tables: readonly string[],
): Generator<ToolCall[], string[], ToolResult[]> {
  const used = new Set(tokens.filter(isName).map(({ text }) => text.toLowerCase()));
  const described = tables.filter((name) => used.has(name.toLowerCase())).slice(0, DESCRIBED_MAX);
  if (described.length === 0) return [];
  const results = yield described.map((name) => ({ tool: "describe_entity", input: { connectionId: id, name } }));
  return results.flatMap((result) => (result.isOk ? named(result.value.columns) : []));
}

function rename(tokens: readonly SqlToken[], meant: string, { dialect }: Place, what: string): Change | null {
  if (tokens.length === 0) return null;
  return { tokens, by: toSqlName(meant, dialect), words: `The ${what} is called \`${code(meant)}\`.` };
}

/** `select a, from t`: no column follows the comma. */
function commaTooMany(tokens: readonly SqlToken[]): Change | null {
  const at = tokens.findIndex(
    ({ text }, index) =>
      text === "," && /^(?:from|where|group|having|order|limit|\)|;)$/i.test(tokens[index + 1]?.text ?? ";"),
  );
  const comma = tokens[at];
  return comma ? { tokens: [comma], by: "", words: "Remove the extra comma." } : null;
}

/** Repairs a keyword: the word that the database rejects, or one of the two before it, is almost one. */
function mistypedWord(tokens: readonly SqlToken[], name: string | null, tables: readonly string[]): Change | null {
  const known = new Set(tables.map((table) => table.toLowerCase()));
  const at =
    name === null ? tokens.length - 1 : tokens.findIndex(({ text }) => text.toLowerCase() === name.toLowerCase());
  if (at < 0) return null;
  for (const token of [tokens[at], tokens[at - 1], tokens[at - 2]]) {
    const word = token?.text.toLowerCase() ?? "";
    if (token?.kind !== "word" || word.length < WORD_CHARS_MIN || SQL_KEYWORDS.has(word) || known.has(word)) continue;
    const meant = findClosest(token.text, MEANT);
    if (!meant) continue;
    return { tokens: [token], by: meant, words: `Changed \`${code(token.text)}\` to \`${meant}\`.` };
  }
  return null;
}

function tokensOf(tokens: readonly SqlToken[], name: string): SqlToken[] {
  return tokens.filter((token) => isName(token) && token.text.toLowerCase() === name.toLowerCase());
}

function isName({ kind }: SqlToken): boolean {
  return kind === "word" || kind === "name";
}

function sameWords(name: string, names: readonly string[]): string | null {
  const words = nameWords(name);
  const fits = names.map((each) => ({ each, fit: fitOf(words, nameWords(each)) })).sort((a, b) => b.fit - a.fit);
  const [best, second] = fits;
  // Two equal fits would be a guess.
  return best && best.fit >= SAME_WORDS_FIT && best.fit > (second?.fit ?? 0) ? best.each : null;
}

function named(list: unknown): string[] {
  return (Array.isArray(list) ? (list as Column[]) : []).flatMap(({ name }) =>
    typeof name === "string" ? [name] : [],
  );
}

function tablesOf(list: unknown): Table[] {
  return (Array.isArray(list) ? (list as Table[]) : []).flatMap(({ name, schema }) =>
    typeof name === "string" ? [{ name, ...(typeof schema === "string" && { schema }) }] : [],
  );
}

function meaning(message: string): string {
  const { title } = describeQueryError(message);
  const plain = title
    .replaceAll(/[`*_<>[\]\r\n]/g, " ")
    .slice(0, 300)
    .trim();
  return /[.!?]$/.test(plain) ? plain : `${plain}.`;
}

function code(name: string): string {
  return name.replaceAll(/[`\r\n]/g, "'").slice(0, 120);
}

/** Quotes the SQL in a block that the text cannot close. */
function quoted(sql: string): string {
  const longest = Math.max(2, ...[...sql.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}sql\n${sql}\n${fence}`;
}
