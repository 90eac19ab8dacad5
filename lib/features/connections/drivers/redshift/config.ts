import "server-only";
import { type AddressRules, type NetworkConfig, parseNetworkConfig, sharedOption } from "../shared/config";

/** Redshift's default port. */
export const REDSHIFT_PORT = 5439;

const SSL_OF_SSLMODE: Readonly<Record<string, NetworkConfig["ssl"]>> = {
  disable: "disable",
  // A cluster always offers TLS, so a mode that may fall back to plain text requires it.
  allow: "require",
  prefer: "require",
  require: "require",
  // Node checks the name together with the chain, never only the chain.
  "verify-ca": "verify-full",
  "verify-full": "verify-full",
};

const RULES: AddressRules = {
  schemes: ["redshift", "postgresql", "postgres"],
  defaultPort: REDSHIFT_PORT,
  defaultUser: "awsuser",
  defaultDatabase: "dev",
  option: (name, value) => {
    if (name !== "sslmode") return sharedOption(name, value);
    const ssl = SSL_OF_SSLMODE[value];
    return ssl === undefined ? null : { ssl };
  },
};

/**
 * Parses the config. TLS is required unless the config turns it off.
 * @throws AppError `invalid_request`
 */
export function parseRedshiftConfig(config: Record<string, unknown>): NetworkConfig {
  const parsed = parseNetworkConfig(config, RULES);
  const isChosen =
    (config.ssl !== undefined && config.ssl !== null && config.ssl !== "") ||
    /[?&]sslmode=/.test(String(config.connectionString ?? ""));
  return isChosen ? parsed : { ...parsed, ssl: "require" };
}
