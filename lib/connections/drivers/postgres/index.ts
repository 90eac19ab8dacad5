import "server-only";
import type { Driver } from "../../data-source";
import { networkFormFields } from "../shared/config";
import { parsePostgresConfig } from "./config";
import { PostgresSource } from "./source";

/** PostgreSQL 12 and later, and what speaks its protocol. */
export const postgres: Driver = {
  type: "postgres",
  label: "PostgreSQL",
  category: "database",
  language: "sql",
  fields: networkFormFields({
    port: 5432,
    user: "postgres",
    connectionString: "postgresql://user:password@host:5432/database?sslmode=require",
  }),
  async open({ config }) {
    return new PostgresSource(parsePostgresConfig(config));
  },
};
