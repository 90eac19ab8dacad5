import "server-only";
import type { Driver } from "../data-source";
import { clickhouse } from "./clickhouse";
import { duckdb } from "./duckdb";
import { mongodb } from "./mongodb";
import { mysql } from "./mysql";
import { postgres } from "./postgres";
import { sqlite } from "./sqlite";

/** Every kind of connection, in the order in which forms offer them. */
export const drivers: readonly Driver[] = [postgres, mysql, mongodb, clickhouse, sqlite, duckdb];

const byType = new Map(drivers.map((driver) => [driver.type, driver]));

/** The driver of a type, null when there is none. */
export function findDriver(type: string): Driver | null {
  return byType.get(type) ?? null;
}

/** The driver of a stored connection. @throws Error: records of unknown types are never stored */
export function driverOf(type: string): Driver {
  const driver = findDriver(type);
  if (!driver) throw new Error(`There is no driver for connections of type ${type}.`);
  return driver;
}
