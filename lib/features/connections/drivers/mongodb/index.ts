import "server-only";
import { NETWORK_REFUSALS } from "../shared/config";
import { serverDriver } from "../shared/server";
import { CHARS_MAX, DATABASE_CHARS_MAX, parseMongoConfig } from "./config";
import { findShellError } from "./shell/syntax";
import { MongoSource } from "./source";
import { mongoVariables } from "./variables";
import { findMongoWrite } from "./writes";

/** MongoDB, Atlas, and servers that speak its protocol. */
export const mongodb = serverDriver({
  type: "mongodb",
  label: "MongoDB",
  category: "database",
  // Lucide's "braces" (ISC licence).
  icon: {
    tile: "#1B7F4B",
    ink: "#FFFFFF",
    paths: [
      "M12 4c3.6 3.4 4.8 6.3 4.8 8.8 0 3-1.8 5-4.8 6.2-3-1.2-4.8-3.2-4.8-6.2 0-2.5 1.2-5.4 4.8-8.8z",
      "M12 9.5v10.5",
    ],
  },
  language: "mongodb",
  variables: mongoVariables,
  explain: {
    form: "mongodb",
    isBehind: true,
    plan: '.explain("queryPlanner")',
    measured: [{ words: '.explain("executionStats")' }],
  },
  hasDdl: true,
  editsDocuments: true,
  // The first documents decide a column's type; later ones may have another.
  looseTypes: "all",
  fields: [
    {
      name: "connectionString",
      label: "Connection string",
      kind: "password",
      required: true,
      secret: true,
      isTarget: true,
      maxLength: CHARS_MAX,
      help: "mongodb://user:password@host:27017 or mongodb+srv://user:password@cluster",
    },
    {
      name: "database",
      label: "Database",
      kind: "text",
      required: false,
      secret: false,
      help: "Defaults to the database in the connection string.",
      maxLength: DATABASE_CHARS_MAX,
    },
  ],
  refusals: {
    connectionString: NETWORK_REFUSALS.connectionString,
    database: "Missing or invalid database name",
  },
  readerHint: {
    text: "Run once in mongosh as an admin. Replace my_database. The user can read but not write.",
    statements:
      'use my_database\ndb.createUser({\n  user: "millrace_reader",\n  pwd: passwordPrompt(),\n  roles: ["read"]\n})',
  },
  schemasLabel: "Collections to show",
  findSyntaxError: async (text) => findShellError(text),
  findWrite: async (query) => findMongoWrite(query),
  parse: parseMongoConfig,
  addresses: ({ hosts }) => hosts,
  openSource: (config, readOnly) => new MongoSource(config, readOnly),
});
