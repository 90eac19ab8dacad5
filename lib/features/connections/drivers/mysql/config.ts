import "server-only";
import {
  type AddressRules,
  type NetworkConfig,
  type OptionMeaning,
  parseNetworkConfig,
  sharedOption,
} from "../shared/config";

/** The values of MySQL's `ssl-mode`, of Go's `tls`, and of flags such as `useSSL`. */
const SSL_MODES: Readonly<Record<string, Exclude<OptionMeaning, string | null>["ssl"]>> = {
  disabled: "disable",
  false: "disable",
  "0": "disable",
  preferred: "preferred",
  prefer: "preferred",
  required: "require",
  require: "require",
  "skip-verify": "require",
  true: "require",
  "1": "require",
  verify_ca: "verify-full",
  verify_identity: "verify-full",
};
const SSL_OPTIONS = new Set(["ssl-mode", "sslmode", "ssl_mode", "tls", "ssl", "usessl"]);
/** The JSON value that PlanetScale generates for Node. */
const CHECKS_CERTIFICATE = /^\{\s*"rejectUnauthorized"\s*:\s*(true|false)\s*\}$/;

const RULES: AddressRules = {
  schemes: ["mysql", "mariadb"],
  defaultPort: 3306,
  defaultUser: "root",
  defaultDatabase: "",
  option: (name, value) => {
    const key = name.toLowerCase();
    if (!SSL_OPTIONS.has(key)) return sharedOption(name, value);
    const checks = CHECKS_CERTIFICATE.exec(value)?.[1];
    if (checks !== undefined) return { ssl: checks === "true" ? "verify-full" : "require" };
    // Go's `tls=true` checks the certificate.
    if (key === "tls" && value === "true") return { ssl: "verify-full" };
    const ssl = SSL_MODES[value.toLowerCase()];
    return ssl === undefined ? null : { ssl };
  },
};

/** Parses the config. @throws AppError `invalid_request` */
export function parseMysqlConfig(config: Record<string, unknown>): NetworkConfig {
  return parseNetworkConfig(config, RULES);
}
