import "server-only";
import { NETWORK_REFUSALS, networkFormFields } from "../shared/config";
import { plannerEstimator } from "../shared/row-estimator";
import { serverDriver } from "../shared/server";
import { checkStatementText } from "../shared/statements/check";
import { postgresValues } from "./column-values";
import { parsePostgresConfig } from "./config";
import { POSTGRES_NAME_LIMIT } from "./flows";
import { judgeStatement } from "./grammar";
import { PostgresSource } from "./source";
import { postgresVariables } from "./variables";

const EXPLAIN = { form: "postgres", plan: "explain (format json)" } as const;

/** PostgreSQL 12 and later, and servers that speak its protocol. */
export const postgres = serverDriver({
  type: "postgres",
  label: "PostgreSQL",
  category: "database",
  icon: {
    tile: "#2F6391",
    ink: "#FFFFFF",
    paths: [
      "M7.5 15.8V9.9a5.1 5.1 0 0 1 5.1-5.1h.6c2.7 0 4.4 1.8 4.4 4.4 0 2.2-.9 3.6-2.3 4.5v3.1c0 1.7.9 2.3 2.3 2",
      "M14 9.1h.01",
    ],
  },
  language: "sql",
  dialect: "postgres",
  variables: postgresVariables,
  values: postgresValues,
  explain: { ...EXPLAIN, measured: [{ words: "explain (analyze, buffers, format json)" }] },
  rowEstimator: plannerEstimator(EXPLAIN, { inSession: true }),
  hasDdl: true,
  isolationLevels: ["read_committed", "repeatable_read", "serializable"],
  nameLimit: POSTGRES_NAME_LIMIT,
  // A numeric(10,2) may be NaN, and timestamps reach the year 294276, beyond an int64 of microseconds.
  looseTypes: ["decimal", "timestamp", "timestamptz"],
  fields: networkFormFields({
    port: 5432,
    user: "postgres",
    connectionString: "postgresql://user:password@host:5432/database?sslmode=require",
  }),
  refusals: NETWORK_REFUSALS,
  readerHint: {
    text: "Run once as an admin. The user can read every table but not write.",
    statements: "create role millrace_reader\n  login password '...';\ngrant pg_read_all_data\n  to millrace_reader;",
  },
  schemasLabel: "Schemas to show",
  parse: parsePostgresConfig,
  addresses: (config) => [config],
  isEncrypted: ({ ssl }) => ssl !== "disable",
  async findSyntaxError(text, { readOnly, tenant }) {
    // Where writing is allowed, the server itself decides: it may be newer than the grammar.
    const verdict = readOnly ? await judgeStatement(text, false, [], tenant) : null;
    return verdict?.status === "unknown" ? { message: verdict.message, offset: verdict.offset ?? null } : null;
  },
  async findWrite(query, tenant) {
    if (typeof query !== "string") return null;
    // A session runs more than other requests: it can prepare a write, for example.
    const verdict = await judgeStatement(query, false, [], tenant, true);
    if (verdict.status === "ok") return verdict.write;
    // The server may be newer than the grammar.
    return verdict.status === "unknown" ? checkStatementText("write", { query, dialect: "postgres" }, tenant) : null;
  },
  openSource: (config, readOnly) => new PostgresSource(config, readOnly),
});
