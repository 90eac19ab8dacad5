import "server-only";
import type { Driver } from "../../data-source";
import { checkAddress } from "../shared/check-address";
import { networkFormFields } from "../shared/config";
import { parseClickHouseConfig } from "./config";
import { ClickHouseSource } from "./source";

/** ClickHouse and ClickHouse Cloud, by their HTTP interface. */
export const clickhouse: Driver = {
  type: "clickhouse",
  label: "ClickHouse",
  category: "database",
  language: "sql",
  fields: networkFormFields({
    port: 8123,
    user: "default",
    connectionString: "clickhouse://user:password@host:8443/database?secure=true",
  }),
  async check({ config }) {
    const { host, port } = parseClickHouseConfig(config);
    await checkAddress(host, port);
  },
  async open({ config }) {
    return new ClickHouseSource(parseClickHouseConfig(config));
  },
};
