import "server-only";
import { z } from "zod";
import { EngineClient } from "@/lib/platform/engines/client";
import { findEngineFault } from "@/lib/platform/engines/parser";
import { leaseEngine } from "@/lib/platform/engines/service";
import { env } from "@/lib/platform/env";
import type { DataSource, Driver, QueryOptions, Statement } from "../../data-source";
import { readFileDdl } from "../duckdb/engine-ddl";
import { openEngineSession } from "../duckdb/engine-session";
import { FILE_REFUSALS, requireBareFileName, workspaceFile } from "../duckdb/file-path";
import { readConfig } from "../shared/config";
import { sqlText } from "../shared/params";
import { sqliteValues } from "./column-values";
import { extractSqlite, loadSqlite } from "./flows";
import { sqliteVariables } from "./variables";

/** The original definitions of a table and its indexes; indexes that SQLite creates have no text. */
const DDL_SQL = `
  select sql from sqlite_schema where tbl_name = ? and sql is not null
  order by case type when 'table' then 0 when 'view' then 0 when 'index' then 1 else 2 end, name`;

/** Functions that may select other rows when the write runs. */
const RANDOM = /\brandom(?:blob)?\s*\(/i;

const config = z.strictObject({ file: z.unknown() });

/** SQLite files of the workspace. */
export const sqlite: Driver = {
  type: "sqlite",
  label: "SQLite",
  category: "database",
  // Lucide's "file" (ISC licence).
  icon: {
    tile: "#0A6E8A",
    ink: "#FFFFFF",
    paths: ["M18.5 4.5C12 6 8.5 11 6.5 19", "M18.5 4.5c.5 5.5-3 9-10 9.5"],
  },
  language: "sql",
  dialect: "sqlite",
  variables: sqliteVariables,
  values: sqliteValues,
  runsProcess: true,
  explain: { form: "sqlite", plan: "explain query plan" },
  // Its planner estimates no rows.
  rowEstimator: {
    statementFor: (query) => (RANDOM.test(query) ? null : `select count(*) as n from (${query})`),
    rowsIn: ({ rows: [row] }) => (typeof row?.n === "number" ? row.n : null),
    needsOneTable: true,
  },
  hasDdl: true,
  isolationLevels: ["serializable"],
  // The first rows decide a column's type; later ones may have another.
  looseTypes: "all",
  fields: [
    {
      name: "file",
      label: "File",
      kind: "file",
      required: true,
      secret: false,
      isTarget: true,
      help: "A SQLite file in this workspace. Created if missing and writes are allowed.",
    },
  ],
  refusals: FILE_REFUSALS,
  findSyntaxError: (text) => findEngineFault("sqlite", text),
  async check(context) {
    fileOf(context.config);
  },
  async open(context) {
    const file = fileOf(context.config);
    const path = await workspaceFile(env().DATA_DIR, context.workspaceId, file, !context.readOnly);
    const lease = await leaseEngine({ kind: "sqlite", path, readOnlyFile: false, trusted: false });
    const client = new EngineClient(lease.socket);
    return {
      query: async (statement, options) => client.execute(toRequest(statement, options), options.signal),
      openSession: (options) => openEngineSession(client, options, toRequest),
      extract: (request) => extractSqlite(client, request),
      load: (request) => loadSqlite(client, request, context.readOnly),
      entities: async (signal) => (await client.ask({ type: "entities" }, signal)).entities,
      defaultSchema: async () => "main",
      ddl: (entity, signal) => readFileDdl(client, { query: DDL_SQL, params: [entity.name] }, entity, signal),
      test: async (signal) => {
        const { version } = await client.ask({ type: "version" }, signal);
        return { serverVersion: `SQLite ${version}` };
      },
      close: async () => {
        await client.close();
        await lease.release();
      },
    } satisfies DataSource;
  },
};

function toRequest({ query, params }: Statement, options: QueryOptions) {
  return {
    type: "execute" as const,
    query: sqlText(query),
    ...(params && { params }),
    readOnly: options.readOnly,
    timeoutMs: options.timeoutMs,
    cellBytesMax: options.cellBytesMax ?? null,
  };
}

/** Returns the config's file name. @throws AppError `invalid_request` (T39) */
function fileOf(given: Record<string, unknown>): string {
  return requireBareFileName(readConfig(config, given).file);
}
