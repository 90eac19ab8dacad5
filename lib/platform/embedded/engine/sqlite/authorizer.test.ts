import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Batch } from "../../../../base/values/fields.ts";
import { StatementFailure } from "../failures.ts";
import { ALLOWED_FUNCTIONS, INTERNAL_FUNCTIONS, MODULES, PRAGMAS, READ_PRAGMAS, REFUSED_FUNCTIONS } from "./names.ts";
import { openSqlite } from "./open.ts";
import { runSqlite } from "./statement.ts";

type Options = { readOnly?: boolean; params?: unknown[] | Record<string, unknown> };

function openFile() {
  const opened = openSqlite(":memory:", false);
  return {
    ...opened,
    async run(query: string, { readOnly = false, params }: Options = {}): Promise<unknown[][]> {
      const rows: unknown[][] = [];
      const request = { type: "execute" as const, query, readOnly, timeoutMs: 1000, cellBytesMax: null };
      await runSqlite(opened, params === undefined ? request : { ...request, params }, {
        fields: async () => {},
        batch: async ({ rowCount, columns }: Batch) => {
          for (let row = 0; row < rowCount; row += 1) rows.push(columns.map((column) => column[row]));
          return true;
        },
      });
      return rows;
    },
  };
}

const kindOf = (error: unknown) => (error instanceof StatementFailure ? error.failure.kind : error);

describe("the function lists", () => {
  it("cover every function of this SQLite version, so that new ones are reviewed (T40)", () => {
    const database = new DatabaseSync(":memory:");
    const names = database.prepare("select distinct name from pragma_function_list").all();
    const unknown = names.filter(
      ({ name }) => !ALLOWED_FUNCTIONS.has(String(name)) && !REFUSED_FUNCTIONS.has(String(name)),
    );
    expect(unknown).toEqual([]);
    expect([...REFUSED_FUNCTIONS].filter((name) => ALLOWED_FUNCTIONS.has(name))).toEqual([]);
    const pragmas = new Set(
      database
        .prepare("select name from pragma_pragma_list")
        .all()
        .map(({ name }) => name),
    );
    expect([...PRAGMAS, ...READ_PRAGMAS].filter((name) => !pragmas.has(name))).toEqual([]);
    const modules = new Set(
      database
        .prepare("select name from pragma_module_list")
        .all()
        .map(({ name }) => name),
    );
    expect([...MODULES].filter((name) => !modules.has(name))).toEqual([]);
    database.close();
  });
});

describe("a connection that may write", () => {
  it("does every kind of write on its own file", async () => {
    const { run } = openFile();
    for (const statement of [
      "create table a (b integer primary key, c text default 'x', d as (b * 2))",
      "insert into a (c) values ('one'), ('two') on conflict do nothing",
      "insert into a (c) select upper(c) from a returning b",
      "create index i on a (lower(c))",
      "create view v as select count(*) as n from a",
      "create table log (what)",
      "create trigger t after update on a begin insert into log values (new.c); end",
      "update a set c = 'three' where b = 1",
      "alter table a rename column c to e",
      "alter table a rename to f",
      "alter table f add column g int",
      "alter table f drop column g",
      "create virtual table words using fts5(text)",
      "insert into words values ('the quick brown fox')",
      "insert into words (words) values ('optimize')",
      "create virtual table boxes using rtree(id, x1, x2)",
      "insert into boxes values (1, 2, 3)",
      "analyze",
      "reindex",
      "vacuum",
      "delete from f where b = 2",
    ]) {
      await expect(run(statement), statement).resolves.toBeDefined();
    }
    expect(await run("select e from f order by b")).toEqual([["three"], ["ONE"], ["TWO"]]);
    expect(await run("select * from log")).toEqual([["three"]]);
    expect(await run("select snippet(words, 0, '<', '>', '', 3) from words where words match 'quick'")).toEqual([
      ["the <quick> brown"],
    ]);
    expect(await run("select id from boxes where x1 > 1")).toEqual([[1]]);
    for (const statement of ["drop view v", "drop trigger t", "drop index i", "drop table f", "drop table words"]) {
      await expect(run(statement), statement).resolves.toBeDefined();
    }
  });

  it.each([
    "attach '' as x", "attach ':memory:' as x", "attach 'x' as x", "vacuum into 'x'", "detach main", "pragma database_list",
    "select * from pragma_database_list", "pragma journal_mode = wal", "pragma journal_mode", "pragma user_version = 7", "pragma user_version(7)",
    "pragma writable_schema = 1", "pragma query_only = 0", "pragma temp_store_directory = '/tmp'", "pragma mmap_size = 1", "pragma optimize",
    "create virtual table x using dbstat", "create virtual table x using fts3tokenize",
    "create virtual table temp.x using dbstat(main)", "select fts3_tokenizer('simple')", "select sqlite_log(1, 'x')", "select load_extension('x')",
    "begin", "commit", "savepoint a", "release a", "rollback", "explain begin", "explain attach 'x' as x", "explain pragma query_only = 0",
    "select null'\\' from pragma_database_list --'",
  ])("%s is not allowed, in any spelling (T40)", async (statement) => {
    const { run, database } = openFile();
    const failure = await run(statement).catch(kindOf);
    expect(failure).toBe("not_allowed");
    database.close();
  }); // biome-ignore format: a list to be read at a glance

  it("reads no view that reveals the file's path and calls no internal function (T40)", async () => {
    const { run } = openFile();
    await run("create view x as select * from pragma_database_list");
    await expect(run("select * from x")).rejects.toThrow();
    for (const name of INTERNAL_FUNCTIONS) await expect(run(`select ${name}(1)`), name).rejects.toThrow();
  });

  it("leaves no temporary objects: the session is renewed", async () => {
    const { run, authorizer } = openFile();
    await run("create temp table mine (a)");
    expect(authorizer.leavesTraces).toBe(true);
    await run("select 1");
    expect(authorizer.leavesTraces).toBe(false);
  });
});

describe("one statement", () => {
  it.each([
    "select 1; select 2", "select 1;;select 2", "select 1; -- a\n select 2", "select 1; nonsense", "select 1; '", "select 1; begin",
    "select 'a;' ; drop table t", "select 1 as [a];] ; select 1 as [a", "select 1 /* ; */ ; select 2",
  ])("%s is more than one (T50)", async (statement) => {
    await expect(openFile().run(statement)).rejects.toMatchObject({ failure: { kind: "query_failed" } });
  }); // biome-ignore format: a list to be read at a glance

  it.each(["select 1;", "select 1;;", "; select 1", "select 1; -- ; select 2", "/* ; */ select 1 ; /* ; */ ; -- x"])(
    "%s is one",
    async (statement) => expect(await openFile().run(statement)).toEqual([[1]]),
  );

  it.each(["", ";", " ; ; ", "-- a", "/* a */", "/* a"])("%j is none", async (statement) => {
    expect(await openFile().run(statement).catch(kindOf)).toBe("invalid_request");
  });

  it.each(["select 1\0", "select 1 \0; select 2", "\0", "select '\ud800'"])(
    "%j can't be sent unchanged (T51)",
    async (text) => {
      expect(await openFile().run(text).catch(kindOf)).toBe("invalid_request");
    },
  );
});

describe("values", () => {
  it.each<[string, Options["params"], unknown]>([
    ["select ?, ?", [1, "a"], [[1, "a"]]],
    ["select ?2, ?1", [1, 2], [[2, 1]]],
    ["select ?3, ?", [1, 2, 3, 4], [[3, 4]]],
    ["select :a, @b, $c, :a", { a: 1, b: 2, c: 3 }, [[1, 2, 3, 1]]],
    ["select $a::b", { "a::b": 1 }, [[1]]],
    ["select '?', [?], ?", [1], "query_failed"],
    ["select ?, ?", [1], "invalid_request"],
    ["select ?", [1, 2], "invalid_request"],
    ["select ?", undefined, "invalid_request"],
    ["select :a, :b", { a: 1 }, "invalid_request"],
    ["select :a", { a: 1, b: 2 }, "invalid_request"],
    ["select :a", [1], "invalid_request"],
    ["select ?", { a: 1 }, "invalid_request"],
  ])("for %s are %j (T51)", async (query, params, expected) => {
    const { toSqliteFailure } = await import("./failures.ts");
    const answer = await openFile()
      .run(query, params === undefined ? {} : { params })
      .catch((error: unknown) => toSqliteFailure(error, query).kind);
    expect(answer).toEqual(expected);
  });
});
