import { existsSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { splitCases } from "@/test/cases";
import type { QueryableSource } from "../../../lib/features/connections/data-source";
import { MONGODB_FORBIDDEN, MONGODB_HARMLESS } from "./corpus/mongodb";
import { FORBIDDEN, HARMLESS } from "./statements";
import { ask, change, type Subject, startSubject } from "./subjects";

const PREPARE = (name: keyof typeof FORBIDDEN) => [
  name === "trino"
    ? "create table guarded (id int, v varchar(20))"
    : "create table guarded (id int primary key, v varchar(20))",
  "insert into guarded values (1, 'a'), (2, 'b')",
];
/** Objects of single engines: a counter, and a function that writes within a SELECT. */
const MORE: Record<keyof typeof FORBIDDEN, string[]> = {
  postgres: [
    "create sequence counter",
    "create function evil_write() returns int language plpgsql as 'begin delete from guarded; return 1; end'",
  ],
  mariadb: [
    "create sequence counter",
    "create table searched (v varchar(20), fulltext (v))",
    "create function evil_write() returns int modifies sql data begin delete from guarded; return 1; end",
  ],
  sqlite: [],
  duckdb: [],
  trino: [],
};
/** Everything that could have been changed: rows, tables and counters. */
const STATE: Record<keyof typeof FORBIDDEN, string[]> = {
  postgres: [
    "select relname, relkind from pg_class where relnamespace = 'public'::regnamespace order by 1",
    "select last_value, is_called from counter",
    "select name, setting from pg_settings where source = 'configuration file' order by 1",
    "select count(*) from pg_largeobject_metadata",
  ],
  mariadb: [
    "select table_schema, table_name from information_schema.tables where table_schema not like '%schema' order by 1, 2",
    "select lastval(counter)",
    "select @@global.max_connections",
  ],
  sqlite: ["select type, name, sql from sqlite_schema order by 1, 2", "pragma user_version"],
  duckdb: [
    "select table_name from duckdb_tables() order by 1",
    "select view_name from duckdb_views() where not internal",
  ],
  trino: [
    "select table_name from information_schema.tables where table_schema = current_schema order by 1",
    "select column_name from information_schema.columns where table_schema = current_schema order by 1",
    "select schema_name from information_schema.schemata where schema_name like '%evil%'",
  ],
};
const REFUSALS = new Set(["read_only", "not_allowed", "query_failed", "invalid_request"]);
/** Files that some of the statements would leave on the machine. */
const TRACES = ["/tmp/evil", "/tmp/evil.sqlite"];

/** Returns variants of a statement: an engine reads each as the same statement, or as none. */
function neighboursOf(statement: string): string[] {
  // Written twice, an open quote is closed, and the whole may be a harmless text.
  const isOpen = ["'", '"'].some((quote) => statement.split(quote).length % 2 === 0);
  return [
    `/* ' */ ${statement} -- "`,
    `-- \\' e'\n\t${statement}\n;`,
    statement.toUpperCase(),
    statement.replaceAll(/ (?=\w)/g, "/**/ "),
    `with x as (select 'a;b', "guarded") ${statement}`,
    ...(isOpen ? [] : [`explain ${statement}; ${statement}`]),
  ];
}

/** Each statement has up to six variants, and every run takes some of each kind. */
const VARIANTS_EVERY = 10;

describe.each(Object.keys(FORBIDDEN) as (keyof typeof FORBIDDEN)[])("a read-only connection to %s", (name) => {
  let subject: Subject | null = null;
  let writer: QueryableSource;
  let reader: QueryableSource;

  beforeAll(async () => {
    for (const path of TRACES) rmSync(path, { force: true });
    subject = await startSubject(name);
    if (!subject) return;
    writer = await subject.open(false);
    await change(writer, ...PREPARE(name), ...MORE[name]);
    reader = await subject.open(true);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([writer?.close(), reader?.close()]);
    await subject?.stop();
  });

  const stateOf = async () => {
    const answers = [(await ask(writer, "select * from guarded order by id")).rows];
    for (const query of STATE[name]) answers.push((await ask(writer, query)).rows);
    return answers;
  };

  test(`T50 T42 rejects ${FORBIDDEN[name].length} statements, and nothing changes`, async (context) => {
    if (!subject) return context.skip();
    const before = await stateOf();
    const passed: string[] = [];
    const surprises: unknown[] = [];
    for (const statement of FORBIDDEN[name]) {
      try {
        await ask(reader, statement);
        passed.push(statement);
      } catch (error) {
        if (!(error instanceof AppError) || !REFUSALS.has(error.kind)) surprises.push([statement, String(error)]);
      }
    }
    expect({ passed, surprises }).toEqual({ passed: [], surprises: [] });
    expect(await stateOf()).toEqual(before);
    expect(TRACES.filter(existsSync)).toEqual([]);
  }, 120_000);

  for (const { tags, cases } of splitCases(FORBIDDEN[name].flatMap(neighboursOf), VARIANTS_EVERY)) {
    test("T50 T42 rejects variants with other spaces, comments and case", {
      tags,
      timeout: 120_000,
    }, async (context) => {
      // Network servers have separate corpora of variants.
      if (!subject || subject.server) return context.skip();
      const before = await stateOf();
      const passed: string[] = [];
      for (const statement of cases) {
        const refused = await ask(reader, statement).then(
          () => false,
          (error: unknown) => error instanceof AppError && REFUSALS.has(error.kind),
        );
        if (!refused) passed.push(statement);
      }
      expect(passed).toEqual([]);
      expect(await stateOf()).toEqual(before);
      expect(TRACES.filter(existsSync)).toEqual([]);
    });
  }

  test("T50 keeps the session read-only after all of them", async (context) => {
    if (!subject) return context.skip();
    for (let turn = 0; turn < 10; turn += 1) {
      await expect(ask(reader, "delete from guarded where id = 1")).rejects.toMatchObject({ kind: "read_only" });
    }
    expect((await ask(reader, "select count(*) as n from guarded")).rows).toEqual([[2]]);
  });

  test("runs reads, whatever words they contain", async (context) => {
    if (!subject) return context.skip();
    const failed: unknown[] = [];
    for (const statement of HARMLESS[name]) {
      await ask(reader, statement).catch((error: unknown) => failed.push([statement, String(error)]));
    }
    expect(failed).toEqual([]);
  });
});

const CORPORA = { ...FORBIDDEN, mongodb: MONGODB_FORBIDDEN.map((operation) => JSON.stringify(operation)) };
/** PostgreSQL has a corpus beside its driver, too. */
const FEWER: Record<string, number> = { postgres: 80 };
test.each(
  Object.entries<readonly string[]>(CORPORA).map(([name, all]) => [name, new Set(all).size, FEWER[name] ?? 150]),
)("T50 tests on %s %i statements, at least %i", (_, count, least) =>
  expect(count).toBeGreaterThanOrEqual(Number(least)),
);

describe("a read-only connection to mongodb", () => {
  let subject: Subject;
  let writer: QueryableSource;
  let reader: QueryableSource;

  beforeAll(async () => {
    subject = (await startSubject("mongodb")) as Subject;
    writer = await subject.open(false);
    await change(writer, "db.guarded.insertMany([{_id: 1, v: 'a'}, {_id: 2, v: 'b'}])");
    reader = await subject.open(true);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([writer?.close(), reader?.close()]);
    await subject?.stop();
  });

  test(`T57 T59 rejects ${MONGODB_FORBIDDEN.length} operations, and nothing changes`, async () => {
    const passed: unknown[] = [];
    const surprises: unknown[] = [];
    for (const operation of MONGODB_FORBIDDEN) {
      try {
        await ask(reader, operation);
        passed.push(operation);
      } catch (error) {
        if (!(error instanceof AppError) || !REFUSALS.has(error.kind)) surprises.push([operation, String(error)]);
      }
    }
    expect({ passed, surprises }).toEqual({ passed: [], surprises: [] });
    const names = (await writer.entities(new AbortController().signal)).map((entity) => entity.name);
    expect(names).toEqual(["guarded"]);
    expect((await ask(writer, "db.guarded.find({}).sort({_id: 1})")).rows).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
  });

  test("runs reads, whatever words they contain", async () => {
    const failed: unknown[] = [];
    for (const operation of MONGODB_HARMLESS) {
      await ask(reader, operation).catch((error: unknown) => failed.push([operation, String(error)]));
    }
    expect(failed).toEqual([]);
  });

  test("T57 rejects values that are too deep or too large", async () => {
    const deep = `db.guarded.find(${"{a:".repeat(39)}1${"}".repeat(39)})`;
    await expect(ask(reader, deep)).rejects.toMatchObject({ kind: "invalid_request" });
    const deeper = `db.guarded.find(${"{a:".repeat(5000)}1${"}".repeat(5000)})`;
    await expect(ask(reader, deeper)).rejects.toMatchObject({ kind: "query_failed" });
    const large = { collection: "guarded", operation: "find", filter: { v: "x".repeat(300 * 1024) } };
    await expect(ask(reader, large)).rejects.toMatchObject({ kind: "too_large" });
  });
});
