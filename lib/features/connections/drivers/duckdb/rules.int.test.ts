import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { splitCases } from "@/test/cases";
import { openFile, query, takeOwnDataDir, WORKSPACE_ID } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import type { QueryableSource } from "../../data-source";

const CANARY = "the-canary-sings-at-night";
const dataDir = takeOwnDataDir();
const folder = join(dataDir.path, "files", WORKSPACE_ID);
const canary = join(folder, "canary.csv");
let source: QueryableSource;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(canary, `word\n${CANARY}\n`);
  source = await openFile("rules.duckdb");
  await query(source, "create table t (a int primary key, b varchar)");
  await query(source, "insert into t values (1, 'x'), (2, 'y')");
  await query(source, "create sequence s");
  await query(source, "create view v as select * from t");
});
afterAll(async () => {
  await source.close();
  dataDir.remove();
});

/** Statements that a connection of either kind refuses. F stands for the canary's path (T40). */
const REFUSED = [
  "attach 'F' as x", "attach ':memory:' as x", "attach database 'other.duckdb'", "attach if not exists 'x.db' (readonly)",
  "/* a comment first */ attach 'x.db'", "-- line\nattach 'x.db'", "aTTaCH 'x.db' AS y", "detach rules", "detach database if exists x",
  "copy t to 'F2'", "copy (select * from t) to 'F2' (format parquet)", "copy t from 'F'", "copy t to '/dev/stdout'",
  "copy (select 1) to 'F2' (format json)", "copy from database rules to memory",
  "export database 'F2'", "export database 'F2' (format parquet)", "import database 'F2'",
  "install httpfs", "force install httpfs", "install httpfs from 'http://localhost'", "load httpfs", "load 'F'", "update extensions",
  "select * from read_csv('F')", "select * from read_csv_auto('F')", "from read_csv('F')", "select * from \"read_csv\"('F')",
  "select * from READ_CSV('F')", "select * from main.read_csv('F')", "select * from system.main.read_csv('F')",
  "select * from read_text('F')", "select * from read_blob('F')", "select * from read_json('F')", "select * from read_json_auto('F')",
  "select * from read_ndjson('F')", "select * from read_json_objects('F')", "select * from read_ndjson_objects('F')",
  "select * from read_parquet('F')", "select * from parquet_scan('F')", "select * from parquet_metadata('F')",
  "select * from parquet_schema('F')", "select * from parquet_file_metadata('F')", "select * from parquet_kv_metadata('F')",
  "select * from parquet_bloom_probe('F', 'a', 1)", "select * from read_duckdb('F')", "select * from sniff_csv('F')",
  "select * from glob('/etc/*')", "select * from glob('*')", "select * from 'F'", "select * from '/etc/passwd.csv'",
  "select * from \"F\"", "from 'https://localhost/x.parquet'", "from 's3://bucket/x.csv'",
  "with x as (select * from read_csv('F')) select * from x", "with x as materialized (from read_text('F')) from x",
  "select (select word from read_csv('F'))", "select * from t where exists (from read_csv('F'))",
  "select * from t union all select 1, word from read_csv('F')", "select * from t, lateral (from read_csv('F'))",
  "select * from (pivot (from read_csv('F')) on word)", "pivot (select * from read_csv('F')) on word",
  "describe select * from read_csv('F')", "summarize from read_csv('F')", "describe 'F'", "summarize 'F'",
  "explain select * from read_csv('F')", "explain analyze select * from read_csv('F')", "explain (analyze) from read_text('F')",
  "insert into t select 9, word from read_csv('F')", "create table u as from read_csv('F')", "create table u as from 'F'",
  "create view w as select * from read_csv('F')", "create macro m() as table from read_csv('F')",
  "create macro m(f) as table select * from query('from read_csv(''' || f || ''')')",
  "update t set b = (select word from read_csv('F'))", "delete from t using read_csv('F') c where b = c.word",
  "merge into t using read_csv('F') c on false when not matched then insert values (9, c.word)",
  "select * from query('select * from read_csv(''F'')')", "select * from query_table('F')", "select getenv('HOME')",
  "select * from json_execute_serialized_sql(json_serialize_sql('from read_csv(''F'')'))",
  "select * from enable_logging(storage = 'file', storage_path = 'F2')", "call enable_logging('QueryLog')",
  "insert into t select 9, 'x' from enable_logging(storage = 'file', storage_path = 'F2')",
  "explain analyze select * from enable_logging(storage = 'file', storage_path = 'F2')",
  "pivot (select 1 as a from enable_logging(storage = 'file', storage_path = 'F2')) on a",
  "select * from enable_profiling(save_location = 'F2')", "select * from disable_logging()", "select * from truncate_duckdb_logs()",
  "select * from checkpoint()", "select * from force_checkpoint()", "call checkpoint()", "checkpoint", "force checkpoint",
  "select * from duckdb_secrets()", "select * from which_secret('s3://x', 's3')", "select * from duckdb_extensions()",
  "select * from duckdb_temporary_files()", "select * from duckdb_logs()", "select * from arrow_scan(1, 2, 3)",
  "pragma database_list", "select * from duckdb_databases()", "select * from duckdb_settings()", "select current_setting('allowed_paths')",
  "create view w as select path from duckdb_databases()", "create macro m() as current_setting('allowed_paths')",
  "select * from sql_auto_complete('sel')", "call pragma_version()", "call range(3)",
  "set enable_external_access = true", "set lock_configuration = false", "set global threads = 1", "set session threads = 1",
  "set memory_limit = '100GB'", "set variable x = 1", "set schema = 'main'", "reset threads", "reset all", "use memory", "use main",
  "pragma enable_profiling", "pragma enable_profiling = 'json'", "pragma profiling_output = 'F2'", "pragma threads = 4",
  "pragma memory_limit = '100GB'", "pragma import_database('F2')", "pragma copy_database('a', 'b')", "pragma disable_optimizer",
  "pragma json_execute_serialized_sql('x')", "pragma force_checkpoint", "pragma enable_object_cache",
  "create secret x (type http)", "create or replace temporary secret x (type s3)", "create persistent secret x (type http)",
  "drop secret x", "drop persistent secret x",
  "begin", "begin transaction", "start transaction", "commit", "rollback", "abort",
  "prepare p as select 1", "execute p", "deallocate p", "prepare p as insert into t values (9, 'z')",
]; // biome-ignore format: a list to be read at a glance

/** Statements that change data: allowed on a writable connection, `read_only` on others. */
const WRITES = [
  "insert into t values (3, 'z')", "insert into t values (3, 'z') returning a", "insert or replace into t values (1, 'z')",
  "insert into t select 3, 'z'", "with n as (select 3) insert into t select *, 'z' from n", "update t set b = 'z'",
  "delete from t", "truncate t", "merge into t using (select 1 as a) n on t.a = n.a when matched then update set b = 'm'",
  "create table u (a int)", "create table u as select 1", "create temp table u as select 1", "create or replace table t as select 1 as a",
  "create view w as select 1", "create or replace view v as select 1", "create macro m() as 1", "create type mood as enum ('a')",
  "create index ix on t (b)", "create schema sc", "create sequence s2", "drop table t", "drop view v", "drop schema main cascade",
  "alter table t add column c int", "alter table t rename to q", "alter sequence s owned by t", "comment on table t is 'x'",
  "select nextval('s')", "explain analyze insert into t values (3, 'z')", "explain analyze delete from t",
  "explain analyze select nextval('s')", "vacuum", "analyze", "vacuum analyze t",
]; // biome-ignore format: a list to be read at a glance

/** Statements that every connection allows. */
const ALLOWED = [
  "select * from t", "from t", "table t", "values (1), (2)", "select * from v", "with x as (from t) from x", "show tables", "show all tables",
  "show databases", "describe t", "describe select 1", "summarize t", "explain select * from t", "explain analyze select * from t",
  "explain (format json) select * from t", "pragma table_info('t')", "pragma show_tables", "pragma version", "pragma database_size",
  "select * from range(3)", "select * from generate_series(1, 3)", "select unnest([1, 2])", "from unnest([1, 2])",
  "select * from json_each('[1]')", "select * from information_schema.tables", "select * from pg_catalog.pg_tables",
  "select * from duckdb_tables()", "select * from pragma_table_info('t')", "select * from pg_catalog.pg_database",
  "pivot t on b using sum(a)", "unpivot t on a into name n value w", "select 'attach ''x''; copy t to ''y'''", "select 1 as \"copy\"",
  "select b glob 'x*' from t", "select * from t using sample 1 rows", "select 1;", " ; select 1", "/* a */ select 1 -- b",
  "select $$from read_csv('x')$$",
]; // biome-ignore format: a list to be read at a glance

const withPaths = (text: string) =>
  text.replaceAll("F2", join(folder, "made-by-a-query")).replaceAll(/F(?='|")/g, canary);

async function outcomeOf(text: string, readOnly: boolean): Promise<{ kind: string; told: string }> {
  try {
    const { rows } = await query(source, withPaths(text), { readOnly });
    return { kind: "ran", told: JSON.stringify(rows) };
  } catch (error) {
    const { kind, message, details } = error as AppError;
    return { kind: error instanceof AppError ? kind : "crashed", told: JSON.stringify([message, details]) };
  }
}

async function tableState(): Promise<string> {
  return JSON.stringify((await query(source, "select * from t order by a", { readOnly: true })).rows);
}

describe.each([true, false])("on a connection with readOnly %s", (readOnly) => {
  for (const { tags, cases } of splitCases(REFUSED, readOnly ? 1 : 8))
    it.each(cases)("%s is not allowed (T40)", { tags }, async (text) => {
      const { kind, told } = await outcomeOf(text, readOnly);
      expect(kind).toBe("not_allowed");
      expect(told).not.toContain(CANARY);
    });

  for (const { tags, cases } of splitCases(ALLOWED, readOnly ? 2 : 8))
    it.each(cases)("%s runs", { tags }, async (text) => {
      expect((await outcomeOf(text, readOnly)).kind).toBe("ran");
    });

  it.each(["", " ", ";", "-- only a comment", "/* open"])("%j is not a statement", async (text) => {
    expect((await outcomeOf(text, readOnly)).kind).toBe("invalid_request");
  });

  it.each(["select 1; select 2", "select 1; drop table t", "select ';'; attach 'x'"])(
    "%s is more than one statement, and none of them runs (T50)",
    async (text) => {
      expect((await outcomeOf(text, readOnly)).kind).toBe("query_failed");
    },
  );
});

describe("on a read-only connection", () => {
  it.each(WRITES)("%s is rejected, and nothing changes (T50)", async (text) => {
    const before = await tableState();
    expect((await outcomeOf(text, true)).kind).toBe("read_only");
    expect(await tableState()).toBe(before);
  });
});

describe("on a writable connection", () => {
  it("runs every kind of write", async () => {
    const writable = await openFile("writable.duckdb");
    for (const text of [
      "create table t (a int)",
      "insert into t values (1), (2)",
      "update t set a = a + 1",
      "delete from t where a = 2",
    ]) {
      await query(writable, text);
    }
    expect((await query(writable, "select a from t")).rows).toEqual([[3]]);
    await writable.close();
  });

  it("resets the session after each statement", async () => {
    await query(source, "create temp table mine as select 1");
    await expect(query(source, "select * from mine")).rejects.toMatchObject({ kind: "query_failed" });
  });
});

describe("a database file prepared by someone else", () => {
  it("runs no view or macro that does what statements may not", async () => {
    const prepared = await DuckDBInstance.create(join(folder, "prepared.duckdb"));
    const connection = await prepared.connect();
    await connection.run(`create view peek as select * from read_csv('${canary}')`);
    await connection.run("create view noisy as select * from enable_logging(storage = 'file', storage_path = 'loud')");
    await connection.run(`create macro peek_macro() as table select * from read_text('${canary}')`);
    await connection.run("create macro noisy_macro() as table select * from enable_profiling()");
    await connection.run("create view honest as select 42 as a");
    connection.closeSync();
    prepared.closeSync();

    const opened = await openFile("prepared.duckdb");
    const told: unknown[] = [];
    for (const text of [
      "from peek",
      "from noisy",
      "from peek_macro()",
      "from noisy_macro()",
      "explain analyze from noisy",
      "create table u as from noisy",
      "select * from range(1) where (select count(*) from noisy) > 0",
    ]) {
      const error = await query(opened, text).catch((caught: unknown) => caught);
      expect(error, text).toMatchObject({ kind: "not_allowed" });
      told.push((error as AppError).message);
    }
    expect(JSON.stringify(told)).not.toContain(CANARY);
    expect((await query(opened, "from honest")).rows).toEqual([[42]]);
    await opened.close();
  });
});

describe("after all these statements", () => {
  it("no file was created beside the database, and the engine still answers", async () => {
    expect(existsSync(join(folder, "made-by-a-query"))).toBe(false);
    const strangers = readdirSync(folder).filter(
      (name) => !/^(canary\.csv|(rules|writable|prepared)\.duckdb(\.wal)?)$/.test(name),
    );
    expect(strangers).toEqual([]);
    expect((await query(source, "select count(*) from t")).rows).toEqual([[2]]);
  });
});
