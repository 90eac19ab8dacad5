import "server-only";
import { NETWORK_REFUSALS, networkFormFields } from "../shared/config";
import { plannerEstimator } from "../shared/row-estimator";
import { serverDriver } from "../shared/server";
import { redshiftValues } from "./column-values";
import { parseRedshiftConfig, REDSHIFT_PORT } from "./config";
import { RedshiftSource } from "./source";
import { redshiftVariables } from "./variables";

const EXPLAIN = { form: "text", plan: "explain" } as const;

/** Amazon Redshift, provisioned and serverless, through PostgreSQL's protocol. */
export const redshift = serverDriver({
  type: "redshift",
  label: "Amazon Redshift",
  engineName: "Redshift",
  category: "database",
  icon: {
    tile: "#7A3FA0",
    ink: "#FFFFFF",
    paths: ["M12 4.5 18.5 8v8L12 19.5 5.5 16V8z", "M9.5 10v5", "M12 8.5v8", "M14.5 10v5"],
  },
  language: "sql",
  dialect: "redshift",
  variables: redshiftVariables,
  values: redshiftValues,
  explain: EXPLAIN,
  rowEstimator: plannerEstimator(EXPLAIN),
  hasDdl: true,
  looseTypes: ["timestamp", "timestamptz"],
  fields: networkFormFields({
    port: REDSHIFT_PORT,
    user: "awsuser",
    connectionString: "redshift://user:password@cluster.region.redshift.amazonaws.com:5439/dev",
    tlsHelp: "Defaults to required.",
  }),
  refusals: NETWORK_REFUSALS,
  readerHint: {
    text: "Run once as an admin, for each schema. The user can read its tables but not write.",
    statements:
      "create user millrace_reader\n  password '...';\ngrant usage on schema public\n  to millrace_reader;\n" +
      "grant select on all tables\n  in schema public\n  to millrace_reader;",
  },
  schemasLabel: "Schemas to show",
  parse: parseRedshiftConfig,
  addresses: (config) => [config],
  isEncrypted: ({ ssl }) => ssl !== "disable",
  openSource: (config) => new RedshiftSource(config),
});
