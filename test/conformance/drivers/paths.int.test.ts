import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bubblewrap } from "@/lib/platform/engines/sandbox";
import { AppError } from "@/lib/platform/http/errors";
import { splitCases } from "@/test/cases";
import { takeOwnDataDir, WORKSPACE_ID } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import type { QueryableSource } from "../../../lib/features/connections/data-source";
import { ask, openWith } from "./subjects";

const dataDir = takeOwnDataDir();
const folder = join(dataDir.path, "files", WORKSPACE_ID);
afterAll(() => dataDir.remove());

/**
 * Statements that ask for the file's path, or make the engine mention it. None may reveal it, by a result or an error.
 */
const QUESTIONS = {
  duckdb: [
    ...["from duckdb_databases", "from 'duckdb_databases'", 'from "duckdb_databases"', "table duckdb_databases"],
    ...["select path from main.duckdb_databases", "select path from system.main.duckdb_databases"],
    ...["select (select path from duckdb_databases)", "with x as (from duckdb_databases) from x"],
    ...["from DuckDB_Databases", "from e'duckdb\\x5fdatabases'", "select d.path from duckdb_databases d"],
    ...["select 1 where exists (from duckdb_databases where path like '/%')", "summarize duckdb_databases"],
    ...["pivot duckdb_databases on path", "unpivot duckdb_databases on path", "describe duckdb_databases"],
    ...["from duckdb_databases()", "from pragma_database_list", "from pragma_database_list()", "pragma database_list"],
    ...["from pg_settings", "from pg_catalog.pg_settings", "select setting from pg_settings", "from duckdb_settings()"],
    ...["select current_setting('allowed_paths')", "select current_setting('allowed_directories')"],
    ...["select current_setting('temp_directory')", "select current_setting('secret_directory')"],
    ...["select current_setting('home_directory')", "select current_setting('extension_directory')"],
    ...["from duckdb_secrets()", "from duckdb_logs", "from duckdb_logs()", "from duckdb_temporary_files()"],
    ...["from duckdb_extensions()", "from duckdb_variables()", "show databases", "show all tables", "show tables"],
    ...["from pg_catalog.pg_database", "from pragma_database_size()", "pragma database_size", "pragma version"],
    ...["pragma metadata_info", "from pragma_metadata_info()", "pragma storage_info('t')", "from duckdb_memory()"],
    ...["explain from duckdb_databases", "explain analyze from duckdb_databases", "explain analyze from t"],
    ...["select getenv('PWD')", "select current_database(), current_catalog()", "from duckdb_views()"],
    ...["attach 'x.db'", "from 'x.csv'", "from read_csv('nothing.csv')", "copy t to 'x.csv'", "load 'x'", "checkpoint"],
    ...["select * from read_blob('.')", "from glob('*')", "create view w as from duckdb_databases"],
    ...["create table u as from duckdb_databases", "insert into t select path from duckdb_databases"],
    ...["insert into t select path from e'duckdb\\x5fdatabases'", "create table u as from e'pg\\x5fsettings'"],
    ...["create macro m() as table from duckdb_databases", "create macro m() as current_setting('allowed_paths')"],
    ...["update t set a = (select path from duckdb_databases limit 1) returning a", "comment on table t is 'x'"],
    ...["from told", "from told_again", "from told_macro()", "select path from prepared.told"],
  ],
  sqlite: [
    ...["pragma database_list", "pragma main.database_list", "PRAGMA Database_List", "pragma 'database_list'"],
    ...["select * from pragma_database_list", "select * from pragma_database_list()", "select file from told"],
    ...['select * from "pragma_database_list"', "select * from [pragma_database_list]"],
    ...["select * from `pragma_database_list`", "select * from 'pragma_database_list'"],
    ...["select * from main.pragma_database_list", "select e'\\' from pragma_database_list --'"],
    ...["select e'\\', file from pragma_database_list where '' = ''", "select (select file from pragma_database_list)"],
    ...["with x as (select * from pragma_database_list) select * from x", "values ((select file from told))"],
    ...["select 1 from t where exists (select 1 from pragma_database_list where file > '')"],
    ...["select 1 [a'] , file from pragma_database_list where 'b' [c']", "select * from /* [ */ pragma_database_list"],
    ...[
      "select 'a]' , [b]], file from pragma_database_list where 1 or [c]",
      "explain select * from pragma_database_list",
    ],
    ...["explain query plan select * from pragma_database_list", "explain pragma database_list"],
    ...[
      "select * from sqlite_dbpage",
      "select * from dbstat",
      "select * from sqlite_schema",
      "select * from pragma_table_list",
    ],
    ...["pragma compile_options", "pragma temp_store_directory", "pragma data_store_directory", "pragma module_list"],
    ...[
      "select sqlite_source_id(), sqlite_version()",
      "select readfile('.')",
      "attach 'x.db' as x",
      "vacuum into 'x.db'",
    ],
    ...["select load_extension('x')", "create virtual table x using fts5(a, content='pragma_database_list')"],
    ...["create view w as select * from pragma_database_list", "create table u as select * from pragma_database_list"],
    ...[
      "insert into t select file from pragma_database_list",
      "update t set a = (select file from pragma_database_list)",
    ],
    ...["create trigger x after insert on t begin insert into t select file from pragma_database_list; end"],
    ...[
      "integrity_check",
      "pragma integrity_check",
      "pragma journal_mode",
      "pragma wal_checkpoint",
      "select * from told",
    ],
  ],
} as const;

/** Creates files as another tool would, with views that ask. */
async function prepare(kind: keyof typeof QUESTIONS, file: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  if (kind === "sqlite") {
    const database = new DatabaseSync(join(folder, file));
    database.exec("create table t (a); create view told as select * from pragma_database_list");
    database.close();
    return;
  }
  const instance = await DuckDBInstance.create(join(folder, file));
  const connection = await instance.connect();
  await connection.run("create table t (a varchar)");
  await connection.run("create view told as from duckdb_databases");
  await connection.run("create view told_again as from told");
  await connection.run("create macro told_macro() as table from told");
  connection.closeSync();
  instance.closeSync();
}

describe.each([
  { kind: "duckdb" as const, isConfined: true },
  { kind: "duckdb" as const, isConfined: false },
  { kind: "sqlite" as const, isConfined: true },
  { kind: "sqlite" as const, isConfined: false },
])("the engine of a $kind file, confined: $isConfined", ({ kind, isConfined }) => {
  let source: QueryableSource;
  const file = `prepared-${isConfined}.${kind}`;
  const confinement = bubblewrap();

  beforeAll(async () => {
    await prepare(kind, file);
    const driver =
      kind === "duckdb"
        ? (await import("@/lib/features/connections/drivers/duckdb")).duckdb
        : (await import("@/lib/features/connections/drivers/sqlite")).sqlite;
    confinement.isThere = isConfined;
    source = await openWith(driver, { file }, false);
    await source.test(new AbortController().signal);
  });
  afterAll(() => source.close());

  describe.each(splitCases([false, true], 2))("of a file", ({ tags, cases }) => {
    test.each(cases)("T40 never reveals where the file is; read-only: %s", { tags }, async (readOnly) => {
      const told: unknown[] = [];
      const surprises: unknown[] = [];
      for (const question of QUESTIONS[kind]) {
        const answer = await ask(source, question, { readOnly }).catch((error: unknown) => error);
        if (answer instanceof Error && !(answer instanceof AppError)) surprises.push([question, String(answer)]);
        const words = answer instanceof AppError ? [answer.message, answer.details] : answer;
        if (JSON.stringify(words).includes(dataDir.path)) told.push([question, words]);
      }
      expect({ told, surprises }).toEqual({ told: [], surprises: [] });
      // Rows that it wrote reveal nothing either.
      expect(JSON.stringify(await ask(source, "select * from t"))).not.toContain(dataDir.path);
    });
  });
});

test.each(["duckdb", "sqlite"] as const)("T40 rejects an invalid %s file without revealing its path", async (kind) => {
  writeFileSync(join(folder, `broken.${kind}`), "no database at all ".repeat(1000));
  const driver =
    kind === "duckdb"
      ? (await import("@/lib/features/connections/drivers/duckdb")).duckdb
      : (await import("@/lib/features/connections/drivers/sqlite")).sqlite;
  for (const isThere of [true, false]) {
    bubblewrap().isThere = isThere;
    const source = await openWith(driver, { file: `broken.${kind}` }, true);
    const error = await source.test(new AbortController().signal).catch((each: unknown) => each);
    await source.close();
    expect(error).toMatchObject({ kind: "source_unreachable" });
    const { message, details } = error as AppError;
    expect(JSON.stringify([message, details])).not.toContain(dataDir.path);
  }
});
