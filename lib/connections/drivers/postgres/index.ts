import "server-only";
import type { Driver } from "../../data-source";
import { checkAddress } from "../shared/check-address";
import { networkFormFields } from "../shared/config";
import { parsePostgresConfig } from "./config";
import { PostgresSource } from "./source";

/** PostgreSQL 12 and later, and what speaks its protocol. */
export const postgres: Driver = {
  type: "postgres",
  label: "PostgreSQL",
  category: "database",
  language: "sql",
  explain: "explain",
  fields: networkFormFields({
    port: 5432,
    user: "postgres",
    connectionString: "postgresql://user:password@host:5432/database?sslmode=require",
  }),
  async check({ config }) {
    const { host, port } = parsePostgresConfig(config);
    await checkAddress(host, port);
  },
  async open({ config }) {
    return new PostgresSource(parsePostgresConfig(config));
  },
};
