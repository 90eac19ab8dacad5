import { loadModule, parseSync } from "libpg-query";
import { Client, type DatabaseError, type QueryArrayResult } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { ask, openWith } from "@/test/conformance/drivers/subjects";
import { randomOf } from "@/test/random";
import { startPostgres, type TestServer } from "@/test/servers/postgres";
import type { QueryableSource } from "../../data-source";
import { postgres } from ".";

/*
 * The grammar that checks statements must parse a text as the server does (T50): where a statement ends, and what is a
 * text or a comment. Random texts, many of them broken, go to both. TEXTS_SEED repeats a run.
 */

const SEED = Number(process.env.TEXTS_SEED ?? 20_261);
const COUNT = Number(process.env.TEXTS ?? 1500);
/** Number of texts through the driver, where each costs several round trips. */
const DRIVEN = 400;

const LITERALS = [
  ...["'a'", "''", "'it''s'", "'a\\'", "'\\\\'", "'a;b'", "'-- '", "'/* '", "'$$'", "'\"'", "'a\nb'", "'a'\n'b'"],
  ...[
    "'a' -- c ; '\n 'b'",
    "'a' /* */\n'b'",
    "E'a\\'b'",
    "E'\\\\'",
    "e'\\x27;'",
    "E'\\u0041'",
    "E'\\''",
    "E'a''b'",
    "E'\\1'",
  ],
  ...[
    "U&'\\0061'",
    "u&'a!0062' uescape '!'",
    "U&'\\\\'",
    "U&'a''b'",
    "U&'\\0027;'",
    "N'a'",
    "B'01'",
    "X'1f'",
    "1",
    "1.5",
  ],
  ...["$$a;b$$", "$q$ $$ '; $q$", "$q1$ $q$ $q1$", "$$ ' $$", '$_$"$_$', "$ä$;$ä$", "$$\\$$", "1e3", ".5", "1."],
];
const GAPS = [
  ...[
    " ",
    "\n",
    "\t",
    "\r",
    "\f",
    "\v",
    "  \r\n",
    "/* c */",
    "/* /* ; */ ' */",
    "-- ; '\n",
    "-- $$ \r",
    "/*-- */",
    "--\\\n",
  ],
  ...["/**/", "/***/", "/*/**/*/", "--/*\n", '/* " */', "--\u00a0\n", "/* $q$ */"],
];
const BREAKS = [
  ...[
    "'",
    '"',
    "$$",
    "/*",
    "*/",
    "--",
    "\\",
    "$q$",
    "E'",
    "U&'",
    ";",
    ";;",
    "$1",
    "(",
    ")",
    "\u00a0",
    "\u3000",
    "\ufeff",
  ],
  ...[
    "\n",
    "\r",
    "''",
    "\\'",
    "$",
    "q$",
    "a$$b",
    "1$$",
    "-",
    "*",
    "/",
    "+--",
    "@-",
    "=-- ",
    "\u2028",
    "ä",
    "E",
    "u&",
    "&",
  ],
];
const STATEMENTS: readonly ((literal: string, gap: () => string) => string)[] = [
  (literal, gap) => `select${gap()}${literal}`,
  (literal, gap) => `select${gap()}${literal}${gap()}as "x;y"`,
  (literal, gap) => `values${gap()}(${literal},${gap()}'z')`,
  (literal, gap) => `select ${literal},${gap()}${literal}`,
  (literal, gap) => `delete${gap()}from plain where v =${gap()}${literal}::text and false`,
  (literal, gap) => `update plain set v =${gap()}${literal}::text${gap()}where false`,
  (literal, gap) => `insert into plain select 1,${gap()}${literal}::text where false`,
  (literal, gap) => `with${gap()}a as (select ${literal} as b) select b from a`,
  () => "",
];

function textOf(random: () => number): string {
  const whole = (below: number) => Math.floor(random() * below);
  const pick = <T>(list: readonly T[]) => list[whole(list.length)] as T;
  const gap = () => Array.from({ length: 1 + whole(2) }, () => pick(GAPS)).join("");
  let text = Array.from({ length: 1 + whole(3) }, () => pick(STATEMENTS)(pick(LITERALS), gap)).join(
    random() < 0.5 ? ";" : `${gap()};${gap()}`,
  );
  for (let breaks = whole(3); breaks > 0; breaks -= 1) {
    const at = whole(text.length + 1);
    const piece = random() < 0.7 ? pick(BREAKS) : random() < 0.5 ? pick(LITERALS) : "";
    text = text.slice(0, at) + piece + text.slice(at + (random() < 0.5 ? 1 : 0));
  }
  return text;
}

/** The commands of a text's statements, and the text values of the first one; null for a syntax error. */
type Reading = { commands: string[]; texts: unknown[] | null } | null;

const COMMANDS: Record<string, string> = {
  SelectStmt: "SELECT",
  DeleteStmt: "DELETE",
  UpdateStmt: "UPDATE",
  InsertStmt: "INSERT",
};

type Node = Record<string, unknown>;

function readByGrammar(text: string): Reading {
  let statements: { stmt?: unknown }[];
  try {
    statements = text.trim() === "" ? [] : ((parseSync(text).stmts ?? []) as { stmt?: unknown }[]);
  } catch {
    return null;
  }
  const entries = statements.map(({ stmt }) => Object.entries(stmt as Node)[0] as [string, Node]);
  return { commands: entries.map(([name]) => COMMANDS[name] ?? name), texts: textsOf(entries[0]) };
}

/** Returns the constants of a plain SELECT; null for any other statement. */
function textsOf(entry: [string, Node] | undefined): unknown[] | null {
  const targets = entry?.[0] === "SelectStmt" ? entry[1].targetList : null;
  if (!Array.isArray(targets) || entry?.[1].withClause !== undefined) return null;
  const texts = targets.map((target: { ResTarget?: { val?: { A_Const?: { sval?: { sval?: string } } } } }) => {
    const constant = target.ResTarget?.val?.A_Const;
    return constant?.sval === undefined ? null : (constant.sval.sval ?? "");
  });
  return texts.includes(null) ? null : texts;
}

/** Run-time errors of the server: the text was parsed, and one of its statements failed. */
const RUN_TIME = /^(42(?!601|P02)|22(?!021|025|P05|019|P06)|23|0A)/;

async function readByServer(client: Client, text: string): Promise<Reading | "ran into something"> {
  await client.query("begin");
  try {
    const answer = (await client.query({ text, rowMode: "array" })) as unknown as QueryArrayResult | QueryArrayResult[];
    const results = (Array.isArray(answer) ? answer : [answer]).filter(({ command }) => command !== null);
    return { commands: results.map(({ command }) => command), texts: results[0]?.rows[0] ?? null };
  } catch (error) {
    return RUN_TIME.test((error as DatabaseError).code ?? "") ? "ran into something" : null;
  } finally {
    await client.query("rollback");
  }
}

let server: TestServer | null = null;
let client: Client;
let reader: QueryableSource;

beforeAll(async () => {
  await loadModule();
  server = await startPostgres();
  if (!server) {
    process.stderr.write("\nNOT TESTED: how PostgreSQL reads texts, since it is not installed.\n\n");
    return;
  }
  const { host, port, user, password, database } = server;
  client = new Client({ host, port, user, password, database });
  await client.connect();
  await client.query("create table plain (id int, v text)");
  reader = await openWith(postgres, { host, port, user, password, database });
}, 60_000);
afterAll(async () => {
  await reader?.close();
  await client?.end();
  await server?.stop();
});

test(`T50 the grammar finds the same statements as the server in ${COUNT} texts, seed ${SEED}`, {
  timeout: 300_000,
}, async (context) => {
  if (!server) return context.skip();
  const wrong: unknown[] = [];
  const seen = { read: 0, several: 0, none: 0, broken: 0, values: 0, onlyByServer: 0, onlyByGrammar: 0 };
  for (let number = 0; number < COUNT; number += 1) {
    const text = textOf(randomOf(SEED + number));
    const ours = readByGrammar(text);
    const theirs = await readByServer(client, text);
    if (theirs === "ran into something") continue;
    if (ours === null || theirs === null) {
      if (ours === null && theirs === null) seen.broken += 1;
      // Refused by one side alone: no checked statement runs as something else.
      else if (ours === null) seen.onlyByServer += 1;
      else seen.onlyByGrammar += 1;
      continue;
    }
    seen.read += 1;
    if (theirs.commands.length > 1) seen.several += 1;
    if (theirs.commands.length === 0) seen.none += 1;
    if (ours.commands.join() !== theirs.commands.join()) wrong.push([number, text, ours.commands, theirs.commands]);
    if (ours.texts !== null && theirs.texts !== null) {
      seen.values += 1;
      if (JSON.stringify(ours.texts) !== JSON.stringify(theirs.texts))
        wrong.push([number, text, ours.texts, theirs.texts]);
    }
  }
  expect(wrong).toEqual([]);
  // Enough of each kind, or the test proves nothing.
  for (const [kind, least] of Object.entries({ read: 0.3, several: 0.1, broken: 0.1, values: 0.05 })) {
    expect([kind, seen[kind as keyof typeof seen] >= COUNT * least]).toEqual([kind, true]);
  }
  // Only the server accepts texts that continue after a comment.
  expect(seen.onlyByServer).toBeLessThanOrEqual(COUNT * 0.03);
});

test(`T50 the driver runs a text only if the server finds exactly one SELECT, seed ${SEED}`, {
  timeout: 300_000,
}, async (context) => {
  if (!server) return context.skip();
  const wrong: unknown[] = [];
  let ran = 0;
  for (let number = 0; number < DRIVEN; number += 1) {
    const text = textOf(randomOf(SEED + COUNT + number));
    const theirs = await readByServer(client, text);
    const failure = await ask(reader, text, { timeoutMs: 10_000 }).then(
      () => null,
      (error: unknown) => error,
    );
    if (failure === null) ran += 1;
    const isOneSelect = theirs !== null && theirs !== "ran into something" && theirs.commands.join() === "SELECT";
    if (failure === null && !isOneSelect) wrong.push([number, text, theirs]);
    if (failure !== null && !(failure instanceof AppError)) wrong.push([number, text, String(failure)]);
  }
  expect(wrong).toEqual([]);
  expect(ran).toBeGreaterThan(DRIVEN / 20);
});
