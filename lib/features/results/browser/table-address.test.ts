import { expect, test } from "vitest";
import {
  NAMED_PLAIN,
  type NamedArrangement,
  readTableParams,
  toTableParams,
} from "@/lib/features/results/browser/table-address";

const HOSTILE = `it's "x" & y=1#[]%00, \\ é`;

test.each<NamedArrangement>([
  NAMED_PLAIN,
  { sort: { column: HOSTILE, isDescending: true }, filters: [] },
  { sort: { column: "-a", isDescending: false }, filters: [{ column: HOSTILE, op: "holds", value: HOSTILE }] },
  {
    sort: null,
    filters: [
      { column: "a", op: "any", values: ["1", null, HOSTILE] },
      { column: "b", op: "is", value: null },
      { column: "b", op: "not", value: "" },
    ],
  },
])("%j survives a round trip through a URL", (named) => {
  const address = new URLSearchParams([["name", "orders"], ...toTableParams(named)]).toString();
  expect(readTableParams(new URLSearchParams(address))).toEqual({ named, isWhole: true });
});

test.each([
  "filter=x",
  "filter=[]",
  'filter=["a","drop","1"]',
  'filter=["a","least",null]',
  'filter=["a","is",5]',
  'filter=["","is","5"]',
  'filter=["a","any",[]]',
  'filter=["a","any",[{}]]',
  'filter={"0":"a"}',
])("drops %s and keeps the rest", (bad) => {
  const params = new URLSearchParams(`asc=id&${bad}&filter=${encodeURIComponent('["b","is","1"]')}`);
  expect(readTableParams(params)).toEqual({
    named: { sort: { column: "id", isDescending: false }, filters: [{ column: "b", op: "is", value: "1" }] },
    isWhole: false,
  });
});

test("drops more filters than the limit", () => {
  const params = new URLSearchParams(Array.from({ length: 21 }, () => ["filter", '["b","is","1"]']));
  const { named, isWhole } = readTableParams(params);
  expect([named.filters.length, isWhole]).toEqual([20, false]);
});
