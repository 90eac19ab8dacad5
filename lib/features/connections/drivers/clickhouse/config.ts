import "server-only";
import { type AddressRules, type NetworkConfig, parseNetworkConfig, sharedOption } from "../shared/config";

const HTTP_PORT = 8123;
const HTTPS_PORT = 8443;
const RULES: AddressRules = {
  schemes: ["clickhouse"],
  defaultPort: HTTP_PORT,
  defaultUser: "default",
  defaultDatabase: "default",
  option: (name, value) => {
    if (name !== "secure" && name !== "ssl") return sharedOption(name, value);
    if (value === "true" || value === "1") return { ssl: "verify-full" };
    return value === "false" || value === "0" ? { ssl: "disable" } : null;
  },
};

/**
 * Parses the address of the server's HTTP interface; the default port is 8443 with TLS. @throws AppError
 * `invalid_request`
 */
export function parseClickHouseConfig(config: Record<string, unknown>): NetworkConfig {
  const parsed = parseNetworkConfig(config, RULES);
  const hasPort = config.port !== undefined && config.port !== null && config.port !== "";
  const namesPort = hasPort || /:\d+(?:\/|\?|$)/.test(String(config.connectionString ?? ""));
  return parsed.ssl !== "disable" && !namesPort ? { ...parsed, port: HTTPS_PORT } : parsed;
}
