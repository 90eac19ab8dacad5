import "server-only";
import {
  type AddressRules,
  type NetworkConfig,
  type OptionMeaning,
  parseNetworkConfig,
  sharedOption,
} from "../shared/config";

const SSL_OF_SSLMODE: Readonly<Record<string, Exclude<OptionMeaning, string | null>["ssl"]>> = {
  disable: "disable",
  // The libraries' default; "allow" would try the reverse order.
  prefer: "preferred",
  allow: "preferred",
  // Used by node-postgres and Heroku.
  "no-verify": "require",
  require: "require",
  // Node checks the name together with the chain, never only the chain.
  "verify-ca": "verify-full",
  "verify-full": "verify-full",
};

/** Options by which Neon and Supabase identify the project. Anything else in `options` would be settings (T43). */
const PROJECT = /^(?:endpoint|project|reference)=[A-Za-z0-9-]{1,80}$/;
const SSL_FLAGS: Readonly<Record<string, "disable" | "require">> = {
  true: "require",
  "1": "require",
  false: "disable",
  "0": "disable",
};

const RULES: AddressRules = {
  schemes: ["postgresql", "postgres"],
  defaultPort: 5432,
  defaultUser: "postgres",
  defaultDatabase: "postgres",
  option: (name, value) => {
    if (name === "sslmode") {
      const ssl = SSL_OF_SSLMODE[value];
      return ssl === undefined ? null : { ssl };
    }
    if (name === "channel_binding" && (value === "prefer" || value === "require")) return "keep";
    if (name === "channel_binding" && value === "disable") return "ignore";
    if (name === "pgbouncer") return value === "true" ? "keep" : "ignore";
    if (name === "options") return PROJECT.test(value) ? "keep" : null;
    if (name === "ssl") return SSL_FLAGS[value] === undefined ? null : { ssl: SSL_FLAGS[value] };
    if (name === "sslrootcert") return value === "system" ? { ssl: "verify-full" } : null;
    if (name === "client_encoding") return /^(?:utf-?8|auto)$/i.test(value) ? "ignore" : null;
    return sharedOption(name, value);
  },
};

/** Parses the config. @throws AppError `invalid_request` */
export function parsePostgresConfig(config: Record<string, unknown>): NetworkConfig {
  return parseNetworkConfig(config, RULES);
}
