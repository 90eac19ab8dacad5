import "server-only";
import { formFields, NETWORK_REFUSALS } from "../shared/config";
import { serverDriver } from "../shared/server";
import { trinoValues } from "./column-values";
import { parseTrinoConfig } from "./config";
import { TrinoSource } from "./source";
import { trinoVariables } from "./variables";

/** They are sent in headers. */
const HEADER_REFUSAL = "Non-ASCII characters";

/** Trino, and services that speak its REST protocol. */
export const trino = serverDriver({
  type: "trino",
  label: "Trino",
  category: "database",
  icon: {
    tile: "#A63A72",
    ink: "#FFFFFF",
    paths: ["M9.5 11.5V5", "M14.5 11.5V5", "M6.5 15a5.5 4.5 0 1 0 11 0 5.5 4.5 0 1 0-11 0z"],
  },
  language: "sql",
  dialect: "trino",
  variables: trinoVariables,
  values: trinoValues,
  explain: { form: "text", plan: "explain" },
  hasDdl: true,
  // Timestamps reach beyond an int64 of microseconds.
  looseTypes: ["timestamp", "timestamptz"],
  fields: [
    { ...formFields.host, required: true },
    formFields.port("Default: 8080, or 8443 with TLS."),
    {
      ...formFields.name("catalog", "Catalog", "Tables of this catalog are shown. Queries can use all catalogs."),
      required: true,
    },
    formFields.name("schema", "Schema", "Schema for unqualified names."),
    { ...formFields.user("Use a read-only user."), required: true },
    formFields.password,
    formFields.ssl("Required with a password."),
  ],
  refusals: {
    host: NETWORK_REFUSALS.host,
    catalog: HEADER_REFUSAL,
    schema: HEADER_REFUSAL,
    user: HEADER_REFUSAL,
    ssl: "Password without TLS",
  },
  readerHint: {
    text: "Add these rules to Trino's access control file. Replace the catalog. The user can read but not write.",
    statements:
      '{ "catalogs": [ {\n  "user": "millrace_reader",\n  "catalog": "my_catalog",\n  "allow": "read-only"\n} ] }',
  },
  schemasLabel: "Schemas to show",
  parse: parseTrinoConfig,
  addresses: (config) => [config],
  isEncrypted: ({ ssl }) => ssl !== "disable",
  openSource: (config) => new TrinoSource(config),
});
