import { expect, test } from "vitest";
import { toCostAdvice, toCostWords } from "./click-cost";
import type { Shelves } from "./shelves";

const shelves = (more: Partial<Shelves> = {}): Shelves => ({
  dimensions: [{ field: "region", timeUnit: null, as: null }],
  measures: [{ field: "amount", op: "sum", as: null }],
  sort: null,
  limit: null,
  ...more,
});
const met = { tookMs: 200, shownCount: 20, rowCount: 1000 };

test("shows the cost of a click in whole milliseconds", () => {
  expect([toCostWords(0.2), toCostWords(12.4), toCostWords(1250)]).toEqual([
    "Each click takes less than 1 ms",
    "Each click takes 12 ms",
    "Each click takes 1,250 ms",
  ]);
});

test("gives no advice below a threshold, and the best one above", () => {
  const distinct = shelves({ measures: [{ field: "order_id", op: "countDistinct", as: null }] });
  expect(toCostAdvice(distinct, { ...met, tookMs: 12 })).toBeNull();
  expect(toCostAdvice(distinct, met)).toContain("Distinct order_id");
  expect(toCostAdvice(shelves({ measures: [{ field: "amount", op: "median", as: null }] }), met)).toContain("median");
  expect(toCostAdvice(shelves(), { ...met, shownCount: 5000 })).toContain("5,000 groups");
  expect(toCostAdvice(shelves({ limit: 10 }), { ...met, rowCount: 1_000_000 })).toContain("1,000,000 rows");
  expect(toCostAdvice(shelves({ dimensions: [], measures: [] }), { ...met, shownCount: 5000 })).toContain("raw rows");
  expect(toCostAdvice(shelves(), met)).toBeNull();
});
