import "server-only";
import { NETWORK_REFUSALS, networkFormFields } from "../shared/config";
import { serverDriver } from "../shared/server";
import { clickHouseValues } from "./column-values";
import { parseClickHouseConfig } from "./config";
import { ClickHouseSource } from "./source";
import { clickHouseVariables } from "./variables";

/** ClickHouse and ClickHouse Cloud, through their HTTP interface. */
export const clickhouse = serverDriver({
  type: "clickhouse",
  label: "ClickHouse",
  category: "database",
  icon: {
    tile: "#4A4A46",
    ink: "#F5D94A",
    paths: ["M6 6v12", "M10 6v12", "M14 6v12", "M18 10.5v3"],
  },
  language: "sql",
  dialect: "clickhouse",
  variables: clickHouseVariables,
  values: clickHouseValues,
  explain: { form: "clickhouse", plan: "explain json = 1, indexes = 1" },
  hasDdl: true,
  fields: networkFormFields({
    port: 8123,
    portHelp: "Default: 8123, or 8443 with TLS.",
    user: "default",
    connectionString: "clickhouse://user:password@host:8443/database?secure=true",
  }),
  refusals: NETWORK_REFUSALS,
  readerHint: {
    text: "Run once as an admin. Replace my_database. The user can read but not write.",
    statements:
      "create user millrace_reader\n  identified by '...'\n  settings readonly = 2;\ngrant select on my_database.*\n  to millrace_reader;",
  },
  schemasLabel: "Databases to show",
  parse: parseClickHouseConfig,
  addresses: (config) => [config],
  isEncrypted: ({ ssl }) => ssl !== "disable",
  openSource: (config, readOnly) => new ClickHouseSource(config, readOnly),
});
