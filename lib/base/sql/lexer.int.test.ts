import { DatabaseSync } from "node:sqlite";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChDb, startChDb } from "@/test/servers/chdb";
import type { SqlDialect } from "./dialects/registry";
import { readSqlTokens } from "./lexer";

/** Number of texts per engine. PROPERTY_RUNS=20000 tries more of them. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 2000);
/** Fixed seed, so that a merge does not wait for a rare failure; with PROPERTY_RUNS, a different one each time. */
const HOW = { numRuns: RUNS, ...(process.env.PROPERTY_RUNS === undefined && { seed: 20_260_911 }) };
/** Minimum share of the texts that the engine must accept, or the property would prove nothing. */
const JUDGED_SHARE = 0.03;
const CANARY = "canary(1)";

/** Pieces that dialects read differently: quotes, comments, tags and spaces of all dialects. */
const PIECES = [
  CANARY, CANARY, CANARY, "'a'", "'a''b'", "'a\\'", "'\\'", "''", "'", "e'\\''", "E'a\\\\'", "e'\\'", "n'a'", "x'41'", "X'\\'", "b'01'", "u&'a'",
  "'a'\n'b'", "e'a'\n'\\''", "'a' -- c\n'b'", "'a'/**/'b'", '"a"', '"a""b"', '"\\"', '"', "`a`", "`a``b`", "`a\\`", "`", "[a]", "[a]]", "[[1]", "[",
  "]", "$$a$$", "$$'$$", "$1$'$1$", "$a$ ' $a$", "$a$ $$ $a$", "$a b$", "$$", "$1", "$a", "a$$", "1$$", "--", "-- '\n", "--'\n", "-- \r", "-", "#", "# '\n", "#'\n",
  "#! x\n", "//", "// '\n", "/*", "*/", "/* ' */", "/* /* */", "/* /* */ */", "/*/ */", "/**/", "/*! 1 */", "‘", "’", "“", "”", "‘'’", "“\"”", "‘a’", "\u00a0", "\ufeff",
  "\u2003", "\u200b", "\u3000", "\v", "\f", "\r", "\n", "\t", " ", " ", " ", ",", ",", ",", ",", "1", "1.", ".5", "1e5", "0x1F", "1_0", "a", "é", "日", "😀", "\\", "(", ")",
  "+", "::", ":a", "@a", "?", "{", "}", "{a:String}", "as", "from", "where",
]; // biome-ignore format: a list to be read at a glance

const piece = fc.constantFrom(...PIECES);
const random = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 8 }), fc.constantFrom("", " ", ", ", "\n"))
  .map(([parts, between]) => `select ${parts.join(between)}`);
/** Surroundings of the canary that turn more of the texts into valid statements. */
const around = fc
  .tuple(fc.constantFrom("select ", "select 1 ", "select 1, "), piece, fc.constantFrom("", " ", ", "), piece, piece)
  .map(([start, before, between, after, end]) => start + before + between + CANARY + between + after + end);
const anyText = fc.oneof(random, around, around);

/** Returns whether our lexer reads the canary as a word, and not as a part of a string, a name or a comment. */
function seesWord(text: string, dialect: SqlDialect): boolean {
  return readSqlTokens(text, dialect).some(({ kind, text: word }) => kind === "word" && word === "canary");
}

/** Returns the end of the first statement by our lexer: after its semicolon, or at the end of the text. */
function firstEnd(text: string, dialect: SqlDialect): number {
  const tokens = readSqlTokens(text, dialect);
  const start = tokens.findIndex(({ kind }) => kind !== "semicolon");
  return tokens.slice(Math.max(start, 0)).find(({ kind }) => kind === "semicolon")?.end ?? text.length;
}

test("T42 SQLite reads a text as the lexer does, wherever its quotes and comments end", () => {
  const database = new DatabaseSync(":memory:");
  const names = [
    "a",
    'a"b',
    "a`b",
    "a\\",
    "\\",
    "[1",
    "é",
    "日",
    "😀",
    "‘",
    "’",
    "“",
    "”",
    "‘a’",
    "‘'’",
    "“a”",
    "\u00a0",
    "\u2003",
    "a$$",
  ];
  database.exec(`create table t (${names.map((name) => `"${name.replaceAll('"', '""')}"`).join(", ")})`);
  let isRead = false;
  database.function("canary", () => 1);
  database.setAuthorizer((action, _first, second) => {
    if (action === 31 && second === "canary") isRead = true;
    return 0;
  });
  let judged = 0;
  const withTail = fc
    .tuple(
      anyText,
      fc.constantFrom("", " from t", "\n from t", " from t;", " from t; select 1", "\nfrom t;;", " ; -- x"),
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(withTail, (text) => {
      isRead = false;
      let source: string;
      try {
        source = database.prepare(text).sourceSQL;
      } catch {
        return;
      }
      judged += 1;
      expect([text, seesWord(source, "sqlite")]).toEqual([text, isRead]);
      expect([text, source.length]).toEqual([text, firstEnd(text, "sqlite")]);
    }),
    HOW,
  );
  expect(judged).toBeGreaterThan(RUNS * JUDGED_SHARE);
  database.close();
});

/**
 * Returns whether DuckDB reads the canary as a string: a string contains the canary's brackets, a word of the same name
 * does not.
 */
async function duckDbReads(connection: DuckDBConnection, text: string): Promise<boolean | null> {
  const rows = (await connection.runAndReadAll("select json_serialize_sql($1::varchar)", [text])).getRows();
  const answer = String(rows[0]?.[0]);
  // Not parsed: a number may exceed the range of JSON.parse.
  return answer.startsWith('{"error":true') ? null : /"canary"/.test(answer);
}

test("T42 DuckDB reads a text as the lexer does, wherever its quotes and comments end", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  let judged = 0;
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const isRead = await duckDbReads(connection, text);
      if (isRead === null) return;
      judged += 1;
      expect([text, seesWord(text, "duckdb")]).toEqual([text, isRead]);
    }),
    HOW,
  );
  expect(judged).toBeGreaterThan(RUNS * JUDGED_SHARE);
  connection.closeSync();
});

let chDb: ChDb | null = null;
beforeAll(async () => {
  chDb = await startChDb();
}, 60_000);
afterAll(() => chDb?.stop());

test("T42 ClickHouse reads a text as the lexer does, wherever its quotes and comments end", async (context) => {
  if (!chDb) return context.skip();
  const { ask } = chDb;
  // A type is reported as text, like a string's content.
  const withoutTypes = anyText.filter((text) => !text.includes("::"));
  let judged = 0;
  await fc.assert(
    fc.asyncProperty(withoutTypes, async (text) => {
      const answer = await ask(`explain ast ${text}`, { format: "TSVRaw", settings: { param_a: "a" } });
      if (!answer.ok) return;
      judged += 1;
      expect([text, seesWord(text, "clickhouse")]).toEqual([text, /(?<![\w$])canary(?![\w$]|\(1)/.test(answer.body)]);
    }),
    HOW,
  );
  expect(judged).toBeGreaterThan(RUNS * JUDGED_SHARE);
}, 120_000);
