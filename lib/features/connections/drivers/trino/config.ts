import "server-only";
import { z } from "zod";
import { fieldValues, invalidField, readConfig } from "../shared/config";

const HTTP_PORT = 8080;
const HTTPS_PORT = 8443;

/** A catalog, schema or user: characters that a header takes unchanged. */
const name = fieldValues.text.regex(/^[\x20-\x7e]*$/, "Only printable ASCII characters are allowed.");
const fields = z.strictObject({
  host: fieldValues.text,
  port: fieldValues.port.optional(),
  /** The catalog of names without one, and of the table tree. */
  catalog: name,
  /** The schema of names without one; empty for none. */
  schema: name.default(""),
  user: name,
  password: fieldValues.text.default(""),
  ssl: fieldValues.ssl.default("disable"),
});
export type TrinoConfig = z.output<typeof fields> & { port: number };

/** Parses the config. @throws AppError `invalid_request` */
export function parseTrinoConfig(config: Record<string, unknown>): TrinoConfig {
  const given = readConfig(fields, config);
  const { port, password, ssl } = given;
  if (password !== "" && ssl === "disable") {
    throw invalidField("ssl", "Trino passwords require TLS. Turn on TLS or remove the password.");
  }
  return { ...given, port: port ?? (ssl === "disable" ? HTTP_PORT : HTTPS_PORT) };
}
