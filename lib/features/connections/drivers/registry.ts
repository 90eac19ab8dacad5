import "server-only";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import type { Driver } from "../data-source";
import { clickhouse } from "./clickhouse";
import { duckdb } from "./duckdb";
import { graphql } from "./graphql";
import { mongodb } from "./mongodb";
import { mysql } from "./mysql";
import { postgres } from "./postgres";
import { redshift } from "./redshift";
import { rest } from "./rest";
import { sqlite } from "./sqlite";
import { stripe } from "./stripe";
import { trino } from "./trino";

/** Every kind of connection, in the order in which forms offer them. */
export const drivers: readonly Driver[] = [
  postgres,
  redshift,
  mysql,
  mongodb,
  clickhouse,
  trino,
  sqlite,
  duckdb,
  stripe,
  rest,
  graphql,
];

const byType = new Map(drivers.map((driver) => [driver.type, driver]));

/** Returns the kinds that this installation can open: those with a separate process need a platform that keeps one. */
export function listDrivers(): readonly Driver[] {
  return drivers.filter((driver) => !driver.runsProcess || !env().isVercel);
}

/** Returns the driver of a type, null when this installation has none. */
export function findDriver(type: string): Driver | null {
  return listDrivers().find((driver) => driver.type === type) ?? null;
}

/**
 * Returns the driver of a stored connection.
 * @throws AppError `source_unreachable` for a connection to a file on a platform that cannot open files. Error for any
 *   other: records of unknown types are never stored
 */
export function driverOf(type: string): Driver {
  const driver = byType.get(type);
  if (!driver) throw new Error(`Unknown connection type ${type}.`);
  if (findDriver(type)) return driver;
  throw new AppError(
    "source_unreachable",
    `${driver.label} files are not supported on Vercel, which has no persistent disk.`,
  );
}
