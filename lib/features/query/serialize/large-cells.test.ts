// @module-tag heavy
import { expect, it } from "vitest";
import type { Batch, WireValue } from "@/lib/base/values/fields";
import { turnsOf } from "@/test/processor-time";
import { arrow } from "./arrow";
import { withLargeCellsAsText } from "./large-cells";

const noRest = async () => {};
const list = Array.from({ length: 400_000 }, (_, index) => index);
const object = { list, text: 'a "quoted" text', nothing: null };
const batchOf = (...values: WireValue[]): Batch => ({ rowCount: values.length, columns: [values] });

it("C2 has the JSON text of large lists and objects, and small values unchanged", async () => {
  const small = [[1, 2], { a: 1 }, "text", 1, true, null];
  const { columns } = await withLargeCellsAsText(batchOf(list, object, ...small), noRest);
  expect(columns[0]).toEqual([JSON.stringify(list), JSON.stringify(object), ...small]);
});

it("C2 returns a batch without large lists and objects itself", async () => {
  const batch = batchOf([1], "x".repeat(300_000), null);
  expect(await withLargeCellsAsText(batch, noRest)).toBe(batch);
});

it("C2 takes at most 50 ms of processor time between two yields", async () => {
  const turns = await turnsOf((rest) => withLargeCellsAsText(batchOf(list, object), rest));
  expect(turns.length).toBeGreaterThan(20);
  expect(turns[3] ?? 0).toBeLessThan(50);
});

it("C2 changes no byte of an Arrow stream", async () => {
  const { batch: write } = arrow([{ name: "a", type: "json", dbType: "json" }]);
  const batch = batchOf(list, { a: 1 }, object);
  const isSame = Buffer.from(write(await withLargeCellsAsText(batch, noRest), 3)).equals(Buffer.from(write(batch, 3)));
  expect(isSame).toBe(true);
});
