import "server-only";
import { z } from "zod";
import { fieldValues, invalidField, readConfig, type SslMode } from "../shared/config";

const HTTP_PORT = 8080;
const HTTPS_PORT = 8443;

export type TrinoConfig = {
  host: string;
  port: number;
  /** The catalog of names without one, and of the table tree. */
  catalog: string;
  /** The schema of names without one; empty for none. */
  schema: string;
  user: string;
  password: string;
  ssl: SslMode;
};

/** A catalog, schema or user: characters that a header takes unchanged. */
const name = fieldValues.text.regex(/^[\x20-\x7e]*$/, "Only printable ASCII characters are allowed.");
const fields = z.strictObject({
  host: fieldValues.text,
  port: fieldValues.port.optional(),
  catalog: name,
  schema: name.optional(),
  user: name,
  password: fieldValues.text.optional(),
  ssl: fieldValues.ssl.optional(),
});

/** Parses the config. @throws AppError `invalid_request` */
export function parseTrinoConfig(config: Record<string, unknown>): TrinoConfig {
  const { port, schema = "", password = "", ssl = "disable", ...given } = readConfig(fields, config);
  if (password !== "" && ssl === "disable") {
    throw invalidField("ssl", "Trino passwords require TLS. Turn on TLS or remove the password.");
  }
  return { ...given, port: port ?? (ssl === "disable" ? HTTP_PORT : HTTPS_PORT), schema, password, ssl };
}
