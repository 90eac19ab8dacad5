import "server-only";
import { formFields, NETWORK_REFUSALS } from "../shared/config";
import { serverDriver } from "../shared/server";
import { trinoValues } from "./column-values";
import { parseTrinoConfig } from "./config";
import { TrinoSource } from "./source";
import { trinoVariables } from "./variables";

/** They are sent in headers. */
const HEADER_REFUSAL = "Signs beyond plain letters";

/** Trino, and services that speak its REST protocol. */
export const trino = serverDriver({
  type: "trino",
  label: "Trino",
  category: "database",
  language: "sql",
  dialect: "trino",
  variables: trinoVariables,
  values: trinoValues,
  explain: { form: "text", plan: "explain" },
  tellsDdl: true,
  // Timestamps reach beyond an int64 of microseconds.
  looseTypes: ["timestamp", "timestamptz"],
  fields: [
    { ...formFields.host, required: true },
    formFields.port("8080 when left out, 8443 with TLS."),
    {
      ...formFields.name("catalog", "Catalog", "The one whose tables are shown; queries reach all of them."),
      required: true,
    },
    formFields.name("schema", "Schema", "Of names that stand alone."),
    { ...formFields.user("Best a user of its own that may only read."), required: true },
    formFields.password,
    formFields.ssl("Off when left out. A password needs it."),
  ],
  refusals: {
    host: NETWORK_REFUSALS.host,
    catalog: HEADER_REFUSAL,
    schema: HEADER_REFUSAL,
    user: HEADER_REFUSAL,
    ssl: "No encryption where there is a password",
  },
  readerHint: {
    text: "Add these rules to the file of Trino's access control, with the name of your catalog. The user can read and change nothing.",
    statements:
      '{ "catalogs": [ {\n  "user": "millrace_reader",\n  "catalog": "my_catalog",\n  "allow": "read-only"\n} ] }',
  },
  schemasLabel: "Schemas to show",
  parse: parseTrinoConfig,
  addresses: (config) => [config],
  isEncrypted: ({ ssl }) => ssl !== "disable",
  openSource: (config) => new TrinoSource(config),
});
