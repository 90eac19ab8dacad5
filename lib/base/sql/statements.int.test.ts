import { DatabaseSync } from "node:sqlite";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { loadModule, parseSync, scanSync } from "libpg-query";
import { type Connection, createConnection } from "mysql2/promise";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startMariaDb } from "@/test/servers/mariadb";
import type { TestServer } from "@/test/servers/postgres";
import type { SqlDialect } from "./dialects/registry";
import { SqlLexer, type SqlPiece } from "./lexer";
import { type SqlStatement, splitStatements } from "./statements";

/*
 * Compares the splitter with the databases' parsers, on scripts of statements that hide semicolons wherever the dialect
 * allows it. PROPERTY_RUNS=20000 tries more of them; a failure prints the seed that reproduces it.
 */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 2000);
/** Fixed seed, so that a merge does not wait for a rare failure; with PROPERTY_RUNS, a different one each time. */
const HOW = { numRuns: RUNS, ...(process.env.PROPERTY_RUNS === undefined && { seed: 20_260_911 }) };
/** Minimum share of the scripts that the database must accept, or the property would prove nothing. */
const JUDGED_SHARE = 0.3;

const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
const joined = (parts: fc.Arbitrary<string>[], between = " ") => fc.tuple(...parts).map((all) => all.join(between));
const listOf = (part: fc.Arbitrary<string>, between: string, maxLength = 3) =>
  fc.array(part, { minLength: 1, maxLength }).map((all) => all.join(between));

const GAPS = [" ", " ", " ", "\n", "\t", " -- a; b\n", "/* ; */", " /* it's; */ ", "\r\n", "\f", " -- 'a;\n"];
/**
 * Texts that some dialects read as a string, a comment or a name, and others do not. Most scripts with one are
 * rejected.
 */
const STRANGE = [
  "'",
  '"',
  "`",
  "\\",
  "[",
  "]",
  "#",
  "//",
  "$$",
  "/*",
  "*/",
  "--",
  "\u00a0",
  "\u2003",
  "“",
  "’",
  ";",
  "{",
  "@",
  "é",
];

const ENDS = [";", ";", ";", "; ", ";;", " ; ;\n", ";\n\n"];

/** A script of such statements, including empty ones and occasional strange texts. */
function scriptOf(statement: fc.Arbitrary<string>, gaps: readonly string[], ends = ENDS): fc.Arbitrary<string> {
  const gap = oneOf(...gaps, "");
  const end = oneOf(...ends);
  const plain = fc
    .tuple(gap, fc.array(fc.tuple(statement, gap, end, gap), { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([start, parts, isClosed]) => {
      const text = start + parts.map((part) => part.join("")).join("");
      return isClosed ? text : text.replace(/[;\s]+$/, "");
    });
  const disturbed = fc.tuple(plain, fc.nat(), oneOf(...STRANGE)).map(([text, place, sign]) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + sign + text.slice(at);
  });
  return fc.oneof({ weight: 2, arbitrary: plain }, { weight: 1, arbitrary: disturbed });
}

/** Queries of these values, with gaps between their words. */
function queryOf(values: readonly string[], gaps: readonly string[]): fc.Arbitrary<string> {
  const gap = oneOf(...gaps);
  const value = fc.oneof(
    oneOf(...values),
    joined([
      fc.constant("case when"),
      oneOf(...values),
      fc.constant("is null then"),
      oneOf(...values),
      fc.constant("end"),
    ]),
  );
  const item = fc.tuple(value, oneOf("", "", " as a", " as b")).map((parts) => parts.join(""));
  return fc
    .tuple(gap, listOf(item, ","), oneOf("", " "), gap)
    .map(([one, items, space, other]) => `select${one}${items}${space}${other}`);
}

/** Escapes other characters: look-alike spaces could not be distinguished in a report. */
const shown = (text: string) =>
  JSON.stringify(text).replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
const rangesOf = (statements: readonly SqlStatement[]) => statements.map(({ from, end }) => [from, end]);

beforeAll(() => loadModule());

const PG_VALUES = [
  ...["1", "'a;b'", "'it''s;'", "e'it\\'s; \\\\'", "E'\\\\'", "'\\'", "$$;$$", "$a$ ; $$ ' $a$", "$_1$;'$_1$", "U&'\\0041;'", "x'41'", "b'01'"],
  ...['a.end', 'a."b;"', "'a'\n';b'", "'a' -- ;'\n ';b'", "5--3\n", "1/*;*/", "a.\u00a0", "\u00a0", "é", "$1", "array[1,2]", "(select ';')", "n'a;'", "e'a'\n'\\';'"],
]; // biome-ignore format: a list to be read at a glance
const PG_GAPS = [...GAPS, "/* ; /* ' ; */ ; */"];
const pgQuery = queryOf(PG_VALUES, PG_GAPS);
const pgList = listOf(
  fc.oneof(pgQuery, oneOf("insert into a values (1)", "delete from a", "update a set b = ';'")),
  "\n; ",
);
const pgStatement = fc.oneof(
  { weight: 4, arbitrary: pgQuery },
  {
    weight: 2,
    arbitrary: pgList.map(
      (list) => `create or replace function f() returns int language sql begin atomic ${list}; end`,
    ),
  },
  { weight: 1, arbitrary: pgList.map((list) => `create procedure p() begin atomic ${list}; end`) },
  { weight: 1, arbitrary: pgList.map((list) => `create rule r as on insert to a do instead (${list})`) },
  {
    weight: 2,
    arbitrary: oneOf(
      ...[
        "begin",
        "end",
        "begin work",
        "commit",
        "create table a (b int default 1, c text)",
        "select a.begin, b as end from a",
      ],
      ...[
        "create function g() returns int language plpgsql as $$ begin return 1; end $$",
        "do $$ begin perform 1; end; $$",
      ],
      ...["create procedure p() begin atomic end", "create function f(a int = 1) returns int return a + 1"],
    ),
  },
);
const pgScript = scriptOf(pgStatement, PG_GAPS);

/** Converts the parser's byte offsets. */
function toOffsets(text: string): (byte: number) => number {
  const bytes = Buffer.from(text);
  return (byte) => bytes.subarray(0, byte).toString().length;
}

test("T42 splits a script like PostgreSQL's parser", () => {
  let judged = 0;
  fc.assert(
    fc.property(pgScript, (text) => {
      let parsed: ReturnType<typeof parseSync>;
      try {
        parsed = parseSync(text);
      } catch {
        return;
      }
      judged += 1;
      const offset = toOffsets(text);
      const ranges = (parsed.stmts ?? []).map(({ stmt_location: from = 0, stmt_len: length }) => [
        offset(from),
        length === undefined ? null : offset(from + length) + 1,
      ]);
      const ours = splitStatements(text, "postgres").map(({ from, end }) => [from, text[end - 1] === ";" ? end : null]);
      expect([shown(text), ours]).toEqual([shown(text), ranges]);
    }),
    HOW,
  );
  expect(judged).toBeGreaterThan(RUNS * JUDGED_SHARE);
});

const pgNoise = fc
  .array(
    fc.oneof(
      oneOf(...PG_VALUES),
      oneOf(...PG_GAPS),
      oneOf(...STRANGE),
      oneOf("e'", "$a$", "a$$", "$a", "1", "a", "''", "\v", "\u0085"),
    ),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(""));

test("T42 finds semicolons, strings and comments like PostgreSQL's scanner", () => {
  let judged = 0;
  fc.assert(
    fc.property(fc.oneof(pgNoise, pgScript), (text) => {
      // The scanner returns comments, but the parser's does not: a string does not continue after one there.
      if (/'\s*--/.test(text)) return;
      let tokens: ReturnType<typeof scanSync>["tokens"];
      try {
        ({ tokens } = scanSync(text));
      } catch {
        return;
      }
      judged += 1;
      const offset = toOffsets(text);
      const theirs = tokens
        .map(({ start, end }) => ({ source: text.slice(offset(start), offset(end)), end: offset(end) }))
        .filter(({ source }) => /^(?:;|--|\/\*|(?:[exbn]|u&)?'|\$(?!\d)[^$]*\$)/i.test(source))
        .map(({ end }) => end);
      const ours = piecesOf(text, "postgres")
        .filter(({ kind }) => ["semicolon", "comment", "hint", "string"].includes(kind))
        .map(({ end }) => end);
      expect([shown(text), ours]).toEqual([shown(text), theirs]);
    }),
    HOW,
  );
  expect(judged).toBeGreaterThan(RUNS * JUDGED_SHARE);
});

function piecesOf(text: string, dialect: SqlDialect): SqlPiece[] {
  const lexer = new SqlLexer(text, dialect);
  const pieces: SqlPiece[] = [];
  for (let piece = lexer.next(); piece; piece = lexer.next()) pieces.push(piece);
  return pieces;
}

const SQLITE_VALUES = [
  ...["1", "'a;b'", "'it''s;'", "'\\'", '"a;"', "[a;b]", "`a;`", "[']", "$a::b(;)", ":a", "@a", "?1", "x'41'", "5--3\n", "1/*;*/", "a", "end", "t.end"],
  ...["(select ';')", "a.\u00a0", "\u00a0", '"a""b;"', "'/*'"],
]; // biome-ignore format: a list to be read at a glance
const SQLITE_NAMES = ["a;", "a;b", "'", "end", "\u00a0", 'a"b;', "a", "b"];
const sqliteQuery = queryOf(SQLITE_VALUES, GAPS).map((query) => `${query} from t`);
const sqliteList = listOf(
  fc.oneof(
    sqliteQuery,
    oneOf("insert into t(a) values (new.a)", "update t set a = ';'", "delete from t where a = 'end;'"),
  ),
  "; ",
);
const sqliteStatement = fc.oneof(
  { weight: 3, arbitrary: sqliteQuery },
  {
    weight: 3,
    arbitrary: joined([
      oneOf(
        "create trigger",
        "create temp trigger",
        "create temporary trigger if not exists",
        "explain create trigger",
        "explain query plan create trigger",
      ),
      oneOf("x", "begin", '"x;"', "main.x", "[end;]"),
      oneOf(
        "after insert on t",
        "before update of a on t for each row when new.a = ';'",
        "after delete on t when case when 1 then old.a end",
      ),
      fc.constant("begin"),
      sqliteList.map((list) => list.replaceAll(/[$:@?][\w:]*(?:\(;\))?/g, "1")),
      oneOf("; end", ";end", ";\nend -- ;\n", "; /* ; */ END"),
    ]),
  },
  {
    weight: 1,
    arbitrary: oneOf(
      "begin",
      "end",
      "commit",
      "select case 1 when 1 then 2 end",
      "create table u (begin, [end;])",
      "create view v as select 1 as end",
    ),
  },
);

test("T42 splits a script like SQLite's parser", () => {
  const database = new DatabaseSync(":memory:");
  database.exec(`create table t (${SQLITE_NAMES.map((name) => `"${name.replaceAll('"', '""')}"`).join(", ")})`);
  let judged = 0;
  fc.assert(
    fc.property(scriptOf(sqliteStatement, GAPS), (text) => {
      const ours = splitStatements(text, "sqlite");
      let at = 0;
      for (const [index, statement] of ours.entries()) {
        try {
          at += database.prepare(text.slice(at)).sourceSQL.length;
        } catch {
          return;
        }
        judged += index === 0 ? 1 : 0;
        const isClosed = text[statement.end - 1] === ";";
        expect([shown(text), index, at]).toEqual([shown(text), index, isClosed ? statement.end : text.length]);
      }
      expect(() => database.prepare(text.slice(at))).toThrow();
    }),
    HOW,
  );
  expect(judged).toBeGreaterThan(RUNS * JUDGED_SHARE);
  database.close();
});

const DUCKDB_VALUES = [...PG_VALUES, "{'a': ';'}", "a -> ';'", "[1, 2]", "\u2003", "1_000"].filter(
  (value) => !value.includes("U&"),
);

test("T42 splits a script like DuckDB's parser", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const statement = fc.oneof(
    { weight: 4, arbitrary: queryOf(DUCKDB_VALUES, PG_GAPS) },
    {
      weight: 1,
      arbitrary: oneOf(
        "begin",
        "create macro a(b) as b + 1",
        "create table a (b int)",
        "commit",
        "pragma version",
        "from a",
      ),
    },
  );
  let judged = 0;
  await fc.assert(
    fc.asyncProperty(scriptOf(statement, PG_GAPS), async (text) => {
      const count = await connection.extractStatements(text).then(
        (extracted) => extracted.count,
        () => null,
      );
      if (count === null) return;
      const ours = splitStatements(text, "duckdb");
      // DuckDB skips text that starts beyond ASCII, which no statement does.
      if (ours.some(({ text: part }) => /^[^\0-\x7f]/.test(part))) return;
      // DuckDB finds spaces beyond ASCII with a simpler scan, which dollar signs confuse.
      if (/[^\0-\x7f]\$|\$[^\0-\x7f]/.test(text)) return;
      judged += 1;
      expect([shown(text), ours.length]).toEqual([shown(text), count]);
      for (const { text: part } of ours) {
        const extracted = await connection.extractStatements(part).catch(() => null);
        if (extracted) expect([shown(part), extracted.count]).toEqual([shown(part), 1]);
      }
    }),
    HOW,
  );
  expect(judged).toBeGreaterThan(RUNS * JUDGED_SHARE);
  connection.closeSync();
});

/** Time limit of a mutated script, which may become an endless loop, in seconds. */
const LOOP_SECONDS = 1;
/** A script whose handler catches even its timeout as an error gets this time, in ms. */
const STUBBORN_MS = 5000;

let server: TestServer | null = null;
let mariaDb: Connection;
beforeAll(async () => {
  server = await startMariaDb(["--event-scheduler=OFF"]);
  if (!server) return;
  mariaDb = await connectTo(server);
  await mariaDb.query("CREATE TABLE t (a int, `end` int, `b;` int, handler int)");
}, 120_000);
afterAll(async () => {
  mariaDb?.destroy();
  await server?.stop();
});

async function connectTo({ host, port, user, password, database }: TestServer): Promise<Connection> {
  const connection = await createConnection({
    host,
    port,
    user,
    password,
    database,
    charset: "utf8mb4",
    multipleStatements: true,
  });
  await connection.query(`SET NAMES utf8mb4, sql_mode = '', max_statement_time = ${LOOP_SECONDS}`);
  return connection;
}

/** Returns the number of MariaDB's results for a script; null if it rejects the script, or never finishes it. */
async function countResults(at: TestServer, script: string): Promise<number | null> {
  const { threadId } = mariaDb;
  const stubborn = setTimeout(async () => {
    const other = await connectTo(at);
    await other.query(`KILL ${threadId}`);
    other.destroy();
  }, STUBBORN_MS);
  try {
    // Two statements before it ensure a list of results.
    const [all] = await mariaDb.query(`do 0;do 0;${script}`);
    return (all as unknown[]).length - 2;
  } catch (error) {
    if ((error as { fatal?: boolean }).fatal) mariaDb = await connectTo(at);
    return null;
  } finally {
    clearTimeout(stubborn);
  }
}

const MYSQL_VALUES = [
  ...["1", "'a;b'", "'it''s;'", "'it\\'s;'", "'\\\\'", '"a;"', '"\\";"', "t.end", "t.`b;`", "`b;`", "@a", "@'a;'", "@`a;`", "x'41'", "b'01'", "n'a;'", "5--3"],
  ...["if(1, ';', 2)", "repeat('a;', 2)", "t.handler", "handler", "(select ';')", "1/*;*/", "1.5", "'a' ';b'", "replace('a', ';', '')", "1e5", "_utf8mb4';'"],
]; // biome-ignore format: a list to be read at a glance
const MYSQL_GAPS = [...GAPS, " # ; '\n", " -- ;\n", " --\t;\n"].filter((gap) => gap !== "\f");
const mysqlQuery = queryOf(MYSQL_VALUES, MYSQL_GAPS).map((query) => `${query} from t`);
const condition = fc.oneof(
  oneOf(
    "1",
    "@a = ';'",
    "if(1, 0, 1)",
    "case when 1 then 0 end",
    "exists (select 1 from t)",
    "not exists (select case 1 when 2 then 3 end)",
  ),
);
const { body } = fc.letrec<{ body: string; list: string }>((tie) => {
  const list = tie("list");
  return {
    list: fc.array(tie("body"), { minLength: 1, maxLength: 3 }).map((all) => all.map((each) => `${each};`).join("\n")),
    body: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      oneOf(
        "set @a = if(1, 2, 3)",
        "set @a = case when 1 then ';' else 'end' end",
        "delete from t where a = -1",
        "do repeat('a', 2)",
        "begin end",
      ),
      oneOf(
        "select ';' into @b",
        "select if(1, 2, 3), repeat('a;', 2) into @b, @c from t limit 1",
        "select `end` into @b from t limit 1",
      ),
      list.map((all) => `begin ${all} end`),
      list.map((all) => `begin declare v int default case when 1 then 2 end; ${all} end`),
      fc
        .tuple(list, tie("body"))
        .map(([all, handler]) => `begin declare exit handler for sqlexception, not found ${handler}; ${all} end`),
      fc
        .tuple(condition, list, list)
        .map(([test, one, other]) => `if ${test} then ${one} elseif ${test} then ${other} else ${one} end if`),
      fc.tuple(condition, list).map(([test, all]) => `if ${test} then ${all} else if 1 then ${all} end if; end if`),
      fc.tuple(condition, list).map(([test, all]) => `case when ${test} then ${all} else ${all} end case`),
      fc.tuple(list).map(([all]) => `case 1 when 2 then ${all} else begin end; end case`),
      fc.tuple(condition, list).map(([test, all]) => `while ${test} do ${all} end while`),
      list.map((all) => `loop ${all} end loop`),
      oneOf("l1: loop leave l1; end loop l1", "l1: begin if 1 then leave l1; end if; end l1"),
      fc.tuple(condition, list).map(([test, all]) => `repeat ${all} until ${test} end repeat`),
      list.map((all) => `for i in 1..2 do ${all} end for`),
    ),
  };
});
const mysqlStatement = fc.oneof(
  { weight: 3, arbitrary: mysqlQuery },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        oneOf(
          ...[
            "create or replace procedure p()",
            "create or replace definer = current_user procedure p(in a int, out `b;` varchar(3)) comment ';'",
          ],
          ...[
            "create or replace procedure p() sql security invoker",
            "create or replace function f(a int) returns int deterministic",
          ],
          ...[
            "create or replace trigger x before insert on t for each row",
            "create or replace definer=`tester`@`%` trigger x after update on t for each row",
          ],
          ...[
            "create or replace event e on schedule every 1 day do",
            "create or replace function f() returns set('a', 'b') character set utf8mb4",
          ],
        ),
        oneOf(...MYSQL_GAPS),
        body,
      )
      .map(([head, gap, text]) =>
        head.includes("function") ? `${head}${gap}begin ${text}; return 1; end` : head + gap + text,
      ),
  },
  { weight: 1, arbitrary: body.map((text) => `begin not atomic if 0 then ${text}; end if; end`) },
  {
    weight: 2,
    arbitrary: oneOf(
      ...[
        "begin",
        "commit",
        "create or replace function f() returns int return if(1, 2, 3)",
        "create or replace view v as select 1 as `end;`",
      ],
      ...[
        "create or replace function f(a int) returns varchar(3) charset utf8mb4 return case when a then repeat('a', 2) else ';' end",
      ],
      ...[
        "drop procedure if exists p",
        "create or replace trigger x before insert on t for each row set new.a = if(new.a, 1, 2)",
      ],
      ...["if 1 then do 1; end if", "do 1 /* ; */", "while 0 do do 1; end while"],
    ),
  },
);

/** Returns the pieces between a script's statements, and after the last one. */
function gapsOf(text: string, statements: readonly SqlStatement[]): SqlPiece[][] {
  const starts = [...statements.map(({ from }) => from), text.length];
  return starts.map((start, index) => piecesOf(text.slice(statements[index - 1]?.end ?? 0, start), "mysql"));
}

/** MySQL rejects two semicolons in a row. */
const mysqlScript = scriptOf(
  mysqlStatement,
  MYSQL_GAPS,
  ENDS.filter((end) => end.trim() === ";"),
);

test("T42 splits a script into as many statements as MariaDB runs", {
  tags: ["long"],
  timeout: 300_000,
}, async (context) => {
  if (!server) return context.skip();
  const at = server;
  // Each run is at least one round trip.
  const runs = Math.ceil(RUNS / 4);
  let judged = 0;
  await fc.assert(
    fc.asyncProperty(mysqlScript, async (text) => {
      const ours = splitStatements(text, "mysql");
      const results = await countResults(at, text);
      if (results === null) return;
      // An empty statement between two semicolons is valid in one place and an error in another; a final comment counts
      // as one.
      const gaps = gapsOf(text, ours);
      if (gaps.some((gap) => gap.some(({ kind }) => kind === "semicolon"))) return;
      const isCommentLast =
        (ours.length === 0 || text[(ours.at(-1)?.end ?? 0) - 1] === ";") &&
        gaps.at(-1)?.some(({ kind }) => kind === "comment");
      judged += 1;
      expect([shown(text), ours.length + (isCommentLast ? 1 : 0)]).toEqual([shown(text), results]);
    }),
    { ...HOW, numRuns: runs },
  );
  expect(judged).toBeGreaterThan(runs * JUDGED_SHARE);
});

test("orders the ranges of a script, which contain all but spaces and comments", () => {
  fc.assert(
    fc.property(mysqlScript, (text) => {
      let before = 0;
      for (const [from, end] of rangesOf(splitStatements(text, "mysql"))) {
        expect(from).toBeGreaterThanOrEqual(before);
        before = end ?? 0;
      }
      expect(before).toBeLessThanOrEqual(text.length);
    }),
    HOW,
  );
});
