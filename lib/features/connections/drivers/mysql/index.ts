import "server-only";
import { NETWORK_REFUSALS, networkFormFields } from "../shared/config";
import { plannerEstimator } from "../shared/row-estimator";
import { serverDriver } from "../shared/server";
import { mysqlValues } from "./column-values";
import { parseMysqlConfig } from "./config";
import { MYSQL_NAME_LIMIT } from "./flows";
import { MysqlSource } from "./source";
import { mysqlVariables } from "./variables";

const EXPLAIN = { form: "mysql", plan: "explain format = json" } as const;

/** MySQL 5.7 and later, MariaDB 10.2 and later. */
export const mysql = serverDriver({
  type: "mysql",
  label: "MySQL and MariaDB",
  engineName: "MySQL",
  category: "database",
  icon: {
    tile: "#7A4A2B",
    ink: "#FFFFFF",
    paths: ["M4.5 16.5c3.3.6 4.8-1.5 6-4 1.2-2.9 3.8-5.6 9-6-.7 1.6-1.2 2.5-2.2 3.3.4 3.9-2.4 7-6.8 7.8"],
  },
  language: "sql",
  dialect: "mysql",
  variables: mysqlVariables,
  values: mysqlValues,
  explain: {
    ...EXPLAIN,
    measured: [
      { words: "analyze format = json", version: "MariaDB" },
      { words: "explain analyze", version: "MySQL" },
    ],
  },
  // In a session, a plan takes locks and a snapshot, and evaluates assignments to variables.
  rowEstimator: plannerEstimator(EXPLAIN, { needsOneTable: true }),
  hasDdl: true,
  ddlCommits: true,
  isolationLevels: ["read_uncommitted", "read_committed", "repeatable_read", "serializable"],
  nameLimit: MYSQL_NAME_LIMIT,
  // Zero dates (0000-00-00, 2026-00-00) are not valid calendar dates.
  looseTypes: ["date", "timestamp", "timestamptz"],
  fields: networkFormFields({
    port: 3306,
    user: "root",
    connectionString: "mysql://user:password@host:3306/database?ssl-mode=REQUIRED",
  }),
  refusals: NETWORK_REFUSALS,
  readerHint: {
    text: "Run once as an admin. Replace my_database. The user can read but not write.",
    statements:
      "create user 'millrace_reader'@'%'\n  identified by '...';\ngrant select, show view\n  on my_database.*\n  to 'millrace_reader'@'%';",
  },
  schemasLabel: "Databases to show",
  parse: parseMysqlConfig,
  addresses: (config) => [config],
  isEncrypted: ({ ssl }) => ssl !== "disable",
  openSource: (config, readOnly) => new MysqlSource(config, readOnly),
});
