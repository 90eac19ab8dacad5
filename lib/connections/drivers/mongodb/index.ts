import "server-only";
import type { Driver } from "../../data-source";
import { checkAddress } from "../shared/check-address";
import { CHARS_MAX, DATABASE_CHARS_MAX, parseMongoConfig } from "./config";
import { MongoSource } from "./source";

/** MongoDB, Atlas, and servers that speak its protocol. */
export const mongodb: Driver = {
  type: "mongodb",
  label: "MongoDB",
  category: "database",
  language: "mongodb",
  fields: [
    {
      name: "connectionString",
      label: "Connection string",
      kind: "password",
      required: true,
      secret: true,
      maxLength: CHARS_MAX,
      help: "mongodb://user:password@host:27017 or mongodb+srv://user:password@cluster",
    },
    {
      name: "database",
      label: "Database",
      kind: "text",
      required: false,
      secret: false,
      help: "The one that queries are about, unless the connection string names it.",
      maxLength: DATABASE_CHARS_MAX,
    },
  ],
  async check({ config }) {
    for (const { host, port } of parseMongoConfig(config).hosts) await checkAddress(host, port);
  },
  async open({ config }) {
    return new MongoSource(parseMongoConfig(config));
  },
};
