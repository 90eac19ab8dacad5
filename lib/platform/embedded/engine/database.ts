import { basename, dirname } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type Refused, refusedAmong } from "./guard.ts";
import { ENGINE_LOG_LIMIT, ENGINE_MEMORY_LIMIT, ENGINE_TEMP_LIMIT, ENGINE_THREADS } from "./limits.ts";

/** A path that does not exist, for DuckDB's extensions and secrets. */
const NOWHERE = "/nonexistent";
/**
 * Counts user-defined views and macros. They may contain what statements may not, so plans have to be checked as well.
 */
const COUNT_USER_CODE = `
  select (select count(*) from duckdb_views() where not internal)
       + (select count(*) from duckdb_functions() where not internal and function_type in ('macro', 'table_macro'))`;
const OWN_TABLE_FUNCTIONS = `
  select distinct lower(function_name) from duckdb_functions()
  where internal and function_type in ('table', 'table_macro', 'pragma')`;
const OWN_VIEWS = "select distinct lower(view_name) from duckdb_views() where internal";

export const LOCKS = {
  enable_external_access: "false",
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  allow_community_extensions: "false",
  allow_persistent_secrets: "false",
  memory_limit: ENGINE_MEMORY_LIMIT,
  max_temp_directory_size: ENGINE_TEMP_LIMIT,
  threads: String(ENGINE_THREADS),
  checkpoint_threshold: ENGINE_LOG_LIMIT,
  secret_directory: NOWHERE,
  extension_directory: NOWHERE,
};

/** An open DuckDB file, locked down for untrusted statements (T40). */
export type EngineDatabase = {
  /** Opens a separate session for one statement, so that no setting of a statement outlives it. */
  connect(): Promise<DuckDBConnection>;
  refused: Refused;
  /** Returns the parse tree of a query as JSON text, or `{"error": true, ...}` if DuckDB does not provide one. */
  treeOf(query: string): Promise<string>;
  /** True when plans have to be checked before they run. */
  hasUserCode: boolean;
  close(): void;
};

/**
 * Opens a file, and creates it if missing unless it is opened read-only.
 * @param tempFolder folder beside the file to spill to; null for DuckDB's default
 * @param trusted the file's views and macros are our own (the sample)
 * @throws Error with DuckDB's reason; "in use by another process" when it is locked
 */
export async function openDatabase(
  file: string,
  options: { readOnlyFile: boolean; trusted: boolean; tempFolder: string | null },
): Promise<EngineDatabase> {
  // Relative to its folder, so that DuckDB's metadata does not reveal the data's location.
  process.chdir(dirname(file));
  return served(await openLocked(basename(file), options), options.trusted);
}

/**
 * Opens an in-memory database for tables of cached results. It reads the files of one folder and nothing else (T40).
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
      // Set before external access is locked, which would reject it.
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

/** Locks the configuration and closes the session. */
async function lock(setup: DuckDBConnection): Promise<void> {
  await setup.run("SET GLOBAL errors_as_json = true");
  // Prints timestamps with a zone in UTC, so that casts to dates depend on the statement only.
  await setup.run("SET GLOBAL TimeZone = 'UTC'");
  await setup.run("SET GLOBAL lock_configuration = true");
  setup.closeSync();
}
