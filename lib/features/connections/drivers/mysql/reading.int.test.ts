import fc from "fast-check";
import { type Connection, createConnection } from "mysql2/promise";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startMariaDb } from "@/test/servers/mariadb";
import type { TestServer } from "@/test/servers/postgres";
import { readMysqlText } from "./reading";
import { checkStatement } from "./statement-guard";

const RUNS = 1500;
/**
 * Characters that look like white space but are names to the server, with columns of these names, so that it finds
 * them.
 */
const NAMES = ["\u00a0", "\u3000", "\u2003", "\ufeff", "\u2028", "\u1680", "\u202f", "\u0085", "\u200b", "\u00e9"];
const CANARIES = 4;

let server: TestServer | null = null;
let raw: Connection;

beforeAll(async () => {
  server = await startMariaDb([
    "--performance-schema=ON",
    "--performance-schema-consumer-events-statements-current=ON",
    "--performance-schema-consumer-events-statements-history=ON",
  ]);
  if (!server) return;
  const { host, port, user, password, database } = server;
  raw = await createConnection({ host, port, user, password, database, charset: "utf8mb4" });
  await raw.query("SET NAMES utf8mb4, sql_mode = ''");
  await raw.query(`CREATE TABLE hostile (${NAMES.map((name) => `\`${name}\` int default 1`).join(", ")})`);
  await raw.query("INSERT INTO hostile VALUES ()");
}, 120_000);
afterAll(async () => {
  await raw?.end();
  await server?.stop();
});

const gap = fc.oneof(
  fc.constantFrom(" ", "\t", "\n", "\v", "\f", "\r", "\r\n", "", ...NAMES),
  fc.constantFrom("--", "-- ", "#", "/*", "*/", "/**/", "/*/", "/* */", "--\t", "-", "/", "*"),
  fc.constantFrom("--\u0001", "--\u001f", "--\u007f", "--\u0008", "--\n", "--\r", "--\0", "\u0001", "\0"),
  fc.constantFrom(...NAMES.map((name) => `--${name}`)),
  fc.constantFrom("/*!", "/*M!", "/*!50000", "/*!99999", "/*!99999 */", "/*! */", "/*+ */", "/*+"),
);
const value = fc.oneof(
  fc.constantFrom("'a'", "''", "'\\''", "'\\\\'", "''''", "'--'", "'#'", "'/*'", '"a"', '"\\""', '"\'"', "'\"'", "'`'"),
  fc.constantFrom("'", '"', "`", "\\'", "\\", "'\\", "'\\\\\\'", "'\n'", "'\u00a0'", "'\0'"),
  fc.constantFrom("n'a'", "N'\\''", "_utf8mb4'a'", "_latin1'\\''", "_gbk'\\\\'", "x'41'", "X'4'", "b'1'", "x'\\'"),
  fc.constantFrom(
    "1",
    "1.",
    ".5",
    "1.5",
    "1e5",
    "1e+5",
    "1e",
    "1.e",
    "1.5e-3",
    "0x41",
    "0x",
    "0xg",
    "0b1",
    "0b12",
    "1a",
  ),
  fc.constantFrom("@a", "@'a'", "@`a`", '@"a"', "@@version", "@@`version`", "@a.b", "@", "@@", "@a-1", "@\u00e9"),
  fc.constantFrom(
    "null",
    "\\N",
    "\\Nnull",
    "hostile.\u00e9",
    "hostile.`\u00e9`",
    "hostile . \u00e9",
    "$a",
    "a$b",
    "1--1",
  ),
);
const operand = fc
  .tuple(fc.constantFrom("+", ",", "=", "||", "-"), gap, value, fc.constantFrom("", "", "as x", "mod 1", "div 1", "x"))
  .map((parts) => parts.join(""));
const piece = fc.oneof(
  { weight: 6, arbitrary: gap },
  { weight: 6, arbitrary: operand },
  { weight: 1, arbitrary: value },
  { weight: 1, arbitrary: fc.constantFrom(",", "+", "(", ")", ";", "as x", "union select 1", ", 1") },
);
const run = fc.array(piece, { maxLength: 2 }).map((pieces) => pieces.join(""));
/** A query with assignments at known places, and hostile text before, between and after them. */
const text = fc
  .array(fc.tuple(run, fc.constantFrom("\n", " ", "")), { minLength: CANARIES + 1, maxLength: CANARIES + 1 })
  .map((runs) =>
    runs
      .map(([hostile, end], index) => `${index === 0 ? "select 1" : `, (@c${index} := ${index})`} ${hostile}${end}`)
      .join(" ")
      .concat("\nfrom hostile"),
  );

/** Words and names of the last statement, from the server's digest: without values and variables. */
const DIGEST = `SELECT digest_text FROM performance_schema.events_statements_history WHERE thread_id =
  (SELECT thread_id FROM performance_schema.threads WHERE processlist_id = connection_id()) ORDER BY event_id DESC LIMIT 1`;

/** A variable, a name, or a keyword. */
const DIGEST_WORD = /@[@\s]*(?:`[^`]*`|[\w$.]+|\?)?|`((?:[^`]|``)*)`|[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*/g;

async function wordsOfServer(): Promise<string[]> {
  const [rows] = await raw.query({ sql: DIGEST, rowsAsArray: true });
  const words = String((rows as unknown[][])[0]?.[0]).matchAll(DIGEST_WORD);
  return [...words]
    .filter(([word]) => !word.startsWith("@"))
    .map(([word, name]) => (name ?? word).toLowerCase())
    .filter(isCounted);
}

function wordsOf(query: string): string[] {
  const { tokens } = readMysqlText(query);
  return tokens
    .filter(({ kind, text, end }, index) => {
      const next = tokens[index + 1];
      const isPrefix = next?.kind === "string" && next.start === end && /^[nxb]$/i.test(text);
      const isOfVariable = tokens[index - 1]?.text === "." && tokens[index - 2]?.text.startsWith("@@");
      return (kind === "word" || kind === "name") && !isPrefix && !isOfVariable;
    })
    .map(({ text }) => text.toLowerCase())
    .filter(isCounted);
}

/**
 * Returns whether a digest contains the word. It omits values and their character set introducers; x'41' is `(unknown)`
 * there.
 */
function isCounted(word: string): boolean {
  return word !== "null" && word !== "unknown" && !word.startsWith("_");
}

type Ran = { places: number[]; words: string[] };

/** Returns the places that the server executed, or null when the text was not a statement to it. */
async function executed(query: string): Promise<Ran | null> {
  const names = Array.from({ length: CANARIES }, (_, index) => `@c${index + 1}`);
  await raw.query(`SET ${names.map((name) => `${name} = 0`).join(", ")}`);
  try {
    await raw.query({ sql: query, rowsAsArray: true });
  } catch {
    return null;
  }
  const words = await wordsOfServer();
  const [rows] = await raw.query({ sql: `SELECT ${names.join(", ")}`, rowsAsArray: true });
  const places = (rows as unknown[][])[0]?.map(Number).filter((place) => place > 0) ?? [];
  return { places, words };
}

/** Returns the places that we see outside of quotes and comments. */
function seen(query: string): Ran {
  const { tokens } = readMysqlText(query);
  const places = tokens.flatMap(({ kind, text: name }, index) =>
    kind === "variable" && /^@c\d$/.test(name) && tokens[index + 1]?.text === ":" ? [Number(name.slice(2))] : [],
  );
  return { places, words: wordsOf(query) };
}

function isAccepted(query: string): boolean {
  try {
    checkStatement(query, true);
    return true;
  } catch {
    return false;
  }
}

test("T50 the guard and the server read the same statement", { timeout: 300_000 }, async (context) => {
  if (!server) return context.skip();
  const counts = { ran: 0, hidden: 0, accepted: 0 };
  await fc.assert(
    fc.asyncProperty(text, async (query) => {
      const ran = await executed(query);
      if (ran === null) return;
      counts.ran += 1;
      if (ran.places.length < CANARIES) counts.hidden += 1;
      const passes = isAccepted(query);
      // Comments that servers run, \N and NUL are parsed differently by versions: they are only refused.
      if (passes || !/\/\*M?!|\\N|\0/.test(query)) expect(seen(query)).toEqual(ran);
      if (!passes) return;
      counts.accepted += 1;
      // The replacement text is the same statement.
      expect(await executed(checkStatement(query, true).text)).toEqual(ran);
    }),
    { numRuns: RUNS },
  );
  // Enough of the texts are statements, hide something, and pass.
  expect(counts.ran).toBeGreaterThan(RUNS / 40);
  expect(counts.hidden).toBeGreaterThan(RUNS / 100);
  expect(counts.accepted).toBeGreaterThan(RUNS / 100);
});
