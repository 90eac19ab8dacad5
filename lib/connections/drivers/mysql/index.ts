import "server-only";
import type { Driver } from "../../data-source";
import { checkAddress } from "../shared/check-address";
import { networkFormFields } from "../shared/config";
import { parseMysqlConfig } from "./config";
import { MysqlSource } from "./source";

/** MySQL 5.7 and later, MariaDB 10.2 and later. */
export const mysql: Driver = {
  type: "mysql",
  label: "MySQL and MariaDB",
  category: "database",
  language: "sql",
  fields: networkFormFields({
    port: 3306,
    user: "root",
    connectionString: "mysql://user:password@host:3306/database?ssl-mode=REQUIRED",
  }),
  async check({ config }) {
    const { host, port } = parseMysqlConfig(config);
    await checkAddress(host, port);
  },
  async open({ config }) {
    return new MysqlSource(parseMysqlConfig(config));
  },
};
