import "server-only";
import { type AddressRules, type NetworkConfig, parseNetworkConfig } from "../shared/config";

const SSL_OF_SSLMODE: Readonly<Record<string, "disable" | "require" | "verify-full">> = {
  disable: "disable",
  require: "require",
  // Node checks the name with the chain, never the chain alone.
  "verify-ca": "verify-full",
  "verify-full": "verify-full",
};

const RULES: AddressRules = {
  schemes: ["postgresql", "postgres"],
  defaultPort: 5432,
  defaultUser: "postgres",
  defaultDatabase: "postgres",
  option: (name, value) => {
    // "prefer" and "allow" would fall back to a plain connection without a word: they have to be decided.
    if (name === "sslmode") {
      const ssl = SSL_OF_SSLMODE[value];
      return ssl === undefined ? null : { ssl };
    }
    if (name === "channel_binding" && (value === "prefer" || value === "require")) return "keep";
    if (name === "channel_binding" && value === "disable") return "ignore";
    return null;
  },
};

/** @throws AppError `invalid_request` */
export function parsePostgresConfig(config: Record<string, unknown>): NetworkConfig {
  return parseNetworkConfig(config, RULES);
}
