import "server-only";
import { type AddressRules, type NetworkConfig, parseNetworkConfig } from "../shared/config";

const RULES: AddressRules = {
  schemes: ["mysql", "mariadb"],
  defaultPort: 3306,
  defaultUser: "root",
  defaultDatabase: "",
  option: (name, value) => {
    const mode = name.toLowerCase();
    if (mode === "ssl-mode" || mode === "sslmode") {
      if (value === "DISABLED") return { ssl: "disable" };
      if (value === "REQUIRED") return { ssl: "require" };
      if (value === "VERIFY_CA" || value === "VERIFY_IDENTITY") return { ssl: "verify-full" };
    }
    return null;
  },
};

/** @throws AppError `invalid_request` */
export function parseMysqlConfig(config: Record<string, unknown>): NetworkConfig {
  return parseNetworkConfig(config, RULES);
}
