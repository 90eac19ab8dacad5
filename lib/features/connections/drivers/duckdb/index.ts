import "server-only";
import { ensureSample, samplePath } from "@/lib/features/connections/sample";
import { EngineClient } from "@/lib/platform/engines/client";
import { findEngineFault } from "@/lib/platform/engines/parser";
import { type EngineFile, leaseEngine } from "@/lib/platform/engines/service";
import { shareEngines } from "@/lib/platform/engines/shared-file";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import type { DataSource, Driver, OpenContext, QueryOptions, SessionOptions, Statement } from "../../data-source";
import { plannerEstimator } from "../shared/row-estimator";
import { duckdbValues } from "./column-values";
import { readFileDdl } from "./engine-ddl";
import { openEngineSession } from "./engine-session";
import { FILE_REFUSALS, requireBareFileName, workspaceFile } from "./file-path";
import { extractDuckDb, loadDuckDb } from "./flows";
import { duckdbVariables } from "./variables";

/** The default schema. */
const DEFAULT_SCHEMA = "main";
/** A table or view and its indexes, as the engine writes them into an export. */
const DDL_SQL = `
  select sql from (
    select 0 as place, table_name as name, sql from duckdb_tables()
    where database_name = current_database() and schema_name = $schema and table_name = $name
    union all
    select 0, view_name, sql from duckdb_views()
    where database_name = current_database() and schema_name = $schema and view_name = $name
    union all
    select 1, index_name, sql from duckdb_indexes()
    where database_name = current_database() and schema_name = $schema and table_name = $name
  ) where sql is not null order by place, name`;

const EXPLAIN = { form: "duckdb", plan: "explain (format json)" } as const;

/** DuckDB files of the workspace, and the sample shop that all workspaces share. */
export const duckdb: Driver = {
  type: "duckdb",
  label: "DuckDB",
  category: "database",
  icon: {
    tile: "#F2C230",
    ink: "#1C1C1C",
    paths: ["M10.2 7a5 5 0 1 0 0 10 5 5 0 1 0 0-10z", "M15.5 12h3.5"],
  },
  language: "sql",
  dialect: "duckdb",
  variables: duckdbVariables,
  values: duckdbValues,
  runsProcess: true,
  explain: { ...EXPLAIN, measured: [{ words: "explain (analyze, format json)" }] },
  rowEstimator: plannerEstimator(EXPLAIN),
  hasDdl: true,
  isolationLevels: ["snapshot"],
  fields: [
    {
      name: "file",
      label: "File",
      kind: "file",
      required: true,
      secret: false,
      isTarget: true,
      help: "A DuckDB file in this workspace. Created if missing and writes are allowed.",
    },
  ],
  refusals: FILE_REFUSALS,
  findSyntaxError: (text) => findEngineFault("duckdb", text),
  async check({ config }) {
    if (config.sample === true) return;
    requireBareFileName(config.file);
  },
  async open(context) {
    const file = await fileOf(context);
    const engine = file.readOnlyFile ? sharedEngine(file, context.workspaceId) : await ownEngine(file);
    const { client } = engine;
    return {
      query: (statement, options) => client.execute(toRequest(statement, options), options.signal),
      // All workspaces share the sample's engines.
      ...(!file.readOnlyFile && {
        openSession: (options: SessionOptions) => openEngineSession(client, options, toRequest),
      }),
      extract: (request) => extractDuckDb(client, request),
      loadsBytes: true,
      // All workspaces share the sample.
      load: (request) => loadDuckDb(client, request, context.readOnly || file.readOnlyFile),
      entities: async (signal) => (await client.ask({ type: "entities" }, signal)).entities,
      defaultSchema: async () => DEFAULT_SCHEMA,
      ddl: (entity, signal) => {
        const params = { schema: entity.schema ?? DEFAULT_SCHEMA, name: entity.name };
        return readFileDdl(client, { query: DDL_SQL, params }, entity, signal);
      },
      test: async (signal) => {
        const { version } = await client.ask({ type: "version" }, signal);
        return { serverVersion: `DuckDB ${version.replace(/^v/, "")}` };
      },
      close: async () => {
        await client.close();
        await engine.release();
      },
    } satisfies DataSource;
  },
};

type Engine = { client: EngineClient; release: () => Promise<void> };

async function ownEngine(file: EngineFile): Promise<Engine> {
  const lease = await leaseEngine(file);
  return { client: new EngineClient(lease.socket), release: lease.release };
}

/** Opens the sample's engine so that one workspace's query does not hold up the others'. */
function sharedEngine(file: EngineFile, workspaceId: string): Engine {
  const { take, giveBack, release } = shareEngines(file, workspaceId);
  return { client: new EngineClient(take, giveBack), release };
}

async function fileOf({ config, workspaceId, readOnly }: OpenContext): Promise<EngineFile> {
  if (config.sample === true) {
    await ensureSample();
    return { path: samplePath(), readOnlyFile: true, trusted: true };
  }
  const path = await workspaceFile(env().DATA_DIR, workspaceId, requireBareFileName(config.file), !readOnly);
  return { path, readOnlyFile: false, trusted: false };
}

function toRequest({ query, params }: Statement, options: QueryOptions) {
  if (typeof query !== "string") throw new AppError("invalid_request", "The query must be SQL text.");
  return {
    type: "execute" as const,
    query,
    ...(params && { params }),
    readOnly: options.readOnly,
    timeoutMs: options.timeoutMs,
    cellBytesMax: options.cellBytesMax ?? null,
    ...(options.jsonAsText && { jsonAsText: true as const }),
  };
}
