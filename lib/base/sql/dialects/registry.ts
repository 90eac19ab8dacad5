import { clickhouse } from "./clickhouse/index.ts";
import type { Dialect } from "./dialect.ts";
import { duckdb } from "./duckdb/index.ts";
import { mysql } from "./mysql/index.ts";
import { postgres } from "./postgres/index.ts";
import { redshift } from "./redshift/index.ts";
import { sqlite } from "./sqlite/index.ts";
import { standard } from "./standard/index.ts";
import { trino } from "./trino/index.ts";

/** Every dialect, by the name that drivers declare. */
export const DIALECTS = {
  standard,
  duckdb,
  postgres,
  redshift,
  mysql,
  sqlite,
  clickhouse,
  trino,
} as const satisfies Readonly<Record<string, Dialect>>;

export type SqlDialect = keyof typeof DIALECTS;
export const SQL_DIALECTS = Object.keys(DIALECTS) as readonly SqlDialect[];
