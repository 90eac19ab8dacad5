// @module-tag heavy
import { expect, it } from "vitest";
import { RESULT_COLUMNS_MAX } from "@/lib/base/values/column-limits";
import type { Entity } from "@/lib/base/values/fields";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { fastestMs } from "@/test/processor-time";
import { toChangeStatements } from "./row-change-statements";
import type { RowChange } from "./schema";

/** Longest work without a rest, in ms. */
const SLICE_MS_MAX = 50;

/** Returns a wide table, and a change of all its columns but the key. */
function wideChange(columnCount: number): { entity: Entity; change: RowChange } {
  const columns = Array.from({ length: columnCount }, (_, index) => ({
    name: `c${index}`,
    type: "varchar(20)",
    nullable: true,
    primaryKey: index === 0,
  }));
  const values = Object.fromEntries(columns.slice(1).map(({ name }) => [name, "x"]));
  return {
    entity: { kind: "table", name: "wide", columns },
    change: { op: "update", key: { c0: "1" }, old: values, set: values, defaults: [] },
  };
}

it.each(["postgres", "mysql", "sqlite", "duckdb"] as const)(
  "C2 builds a change of each column of a wide %s table in at most 50 ms of processor time, and rests after it",
  async (type) => {
    const driver = driverOf(type);
    const { entity, change } = wideChange(RESULT_COLUMNS_MAX);
    const first = () => void toChangeStatements(driver, entity, [change]);
    first();
    expect(fastestMs(SLICE_MS_MAX, first)).toBeLessThan(SLICE_MS_MAX);

    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const { entity: small, change: each } = wideChange(10);
    const statements = await toChangeStatements(
      driver,
      small,
      Array.from({ length: 100 }, () => each),
    );
    isDone = true;
    expect(statements).toHaveLength(100);
    expect(turns).toBeGreaterThanOrEqual(99);
  },
);
