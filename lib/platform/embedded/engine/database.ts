import { basename, dirname } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type Refused, refusedAmong } from "./guard.ts";
import { ENGINE_MEMORY_LIMIT, ENGINE_TEMP_LIMIT, ENGINE_THREADS } from "./limits.ts";

/** Nothing on the machine is at this place; DuckDB looks there for extensions and secrets if it ever wanted to. */
const NOWHERE = "/nonexistent";
/** A view or macro in the file can hold what a statement may not: then plans are looked at, too. */
const COUNT_USER_CODE = `
  select (select count(*) from duckdb_views() where not internal)
       + (select count(*) from duckdb_functions() where not internal and function_type in ('macro', 'table_macro'))`;
const OWN_TABLE_FUNCTIONS = `
  select distinct lower(function_name) from duckdb_functions()
  where internal and function_type in ('table', 'table_macro', 'pragma')`;
const OWN_VIEWS = "select distinct lower(view_name) from duckdb_views() where internal";

const LOCKS = {
  enable_external_access: "false",
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  allow_community_extensions: "false",
  allow_persistent_secrets: "false",
  memory_limit: ENGINE_MEMORY_LIMIT,
  max_temp_directory_size: ENGINE_TEMP_LIMIT,
  threads: String(ENGINE_THREADS),
  secret_directory: NOWHERE,
  extension_directory: NOWHERE,
};

/** An open DuckDB file, locked down for statements of strangers (T40). */
export type EngineDatabase = {
  /** A session of its own for one statement: nothing that a statement sets outlives it. */
  connect(): Promise<DuckDBConnection>;
  refused: Refused;
  /** The tree of a query as JSON text, `{"error": true, ...}` where DuckDB shows none. */
  treeOf(query: string): Promise<string>;
  /** True when a plan has to be looked at before it runs. */
  hasUserCode: boolean;
  close(): void;
};

/**
 * Opens a file, creating it when missing unless it is opened for reading alone.
 * @param tempFolder beside the file, where it spills; null for DuckDB's own choice
 * @param trusted the file's views and macros are our own (the sample)
 * @throws Error with DuckDB's reason; "in use by another process" when it is locked
 */
export async function openDatabase(
  file: string,
  options: { readOnlyFile: boolean; trusted: boolean; tempFolder: string | null },
): Promise<EngineDatabase> {
  // Relative to its folder, so that what DuckDB tells about itself does not tell where the data lives.
  process.chdir(dirname(file));
  return served(await openLocked(basename(file), options), options.trusted);
}

/**
 * Opens a database in memory for tables of kept results. It reads the files of one folder and nothing else (T40).
 * @param file any name in that folder
 */
export async function openMemory(file: string): Promise<EngineDatabase> {
  const folder = dirname(file);
  process.chdir(folder);
  const instance = await DuckDBInstance.create(":memory:", { ...LOCKS, enable_external_access: "true" });
  const setup = await instance.connect();
  await setup.run(`SET GLOBAL allowed_directories = ['${folder.replaceAll("'", "''")}/']`);
  await setup.run("SET GLOBAL enable_external_access = false");
  await lock(setup);
  return served(instance, true);
}

async function served(instance: DuckDBInstance, trusted: boolean): Promise<EngineDatabase> {
  const guard = await instance.connect();
  const functions = await guard.runAndReadAll(OWN_TABLE_FUNCTIONS);
  const views = await guard.runAndReadAll(OWN_VIEWS);
  const userCode = await guard.runAndReadAll(COUNT_USER_CODE);
  const serialize = await guard.prepare("select json_serialize_sql($1::varchar)");
  let turn: Promise<unknown> = Promise.resolve();
  return {
    connect: () => instance.connect(),
    refused: refusedAmong(
      functions.getRows().map(([name]) => String(name)),
      views.getRows().map(([name]) => String(name)),
    ),
    hasUserCode: !trusted && Number(userCode.getRows()[0]?.[0]) > 0,
    treeOf(query) {
      const answer = turn.then(async () => {
        serialize.bindVarchar(1, query);
        const rows = await serialize.runAndReadAll();
        return String(rows.getRows()[0]?.[0]);
      });
      turn = answer.catch(() => {});
      return answer;
    },
    close: () => {
      guard.closeSync();
      instance.closeSync();
    },
  };
}

async function openLocked(
  file: string,
  { readOnlyFile, tempFolder }: { readOnlyFile: boolean; tempFolder: string | null },
): Promise<DuckDBInstance> {
  let instance: DuckDBInstance;
  try {
    instance = await DuckDBInstance.create(`./${file}`, {
      // Before the lock of external access, which refuses it.
      ...(tempFolder !== null && { temp_directory: basename(tempFolder) }),
      ...LOCKS,
      access_mode: readOnlyFile ? "READ_ONLY" : "READ_WRITE",
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/could not set lock/i.test(message)) throw new Error(`${file} is in use by another process.`, { cause: error });
    throw error;
  }
  await lock(await instance.connect());
  return instance;
}

/** Closes the session, too. */
async function lock(setup: DuckDBConnection): Promise<void> {
  await setup.run("SET GLOBAL errors_as_json = true");
  // Stamps with a zone are printed in UTC, and a date of one depends on nothing but the statement.
  await setup.run("SET GLOBAL TimeZone = 'UTC'");
  await setup.run("SET GLOBAL lock_configuration = true");
  setup.closeSync();
}
