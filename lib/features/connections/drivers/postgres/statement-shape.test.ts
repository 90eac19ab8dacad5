import { expect, test } from "vitest";
import { shapeOf } from "./statement-shape";

test("gives statements that differ in values one shape", () => {
  const shape = "select \"Id 7\", t1.price from t1 where id = 0 and name in ('', '') limit 0";
  expect(shapeOf("select \"Id 7\", t1.price from t1 where id = 5 and name in ('a', '') limit 100")).toBe(shape);
  expect(shapeOf("select \"Id 7\", t1.price from t1 where id = 77 and name in ('b c', 'x(') limit 1")).toBe(shape);
});

test.each([
  ["names", "select a1 from t", "select a2 from t"],
  ["quoted names", 'select "a1" from t', 'select "a2" from t'],
  ["quoted names with quotes", `select "a'1'" from t`, `select "a'2'" from t`],
  ["numbers that are no integers", "select 1.5", "select 12.5"],
  ["numbers that no integer holds", "select 10000000000", "select 20000000000"],
  ["numbers that end in a name", "select 1a", "select 2a"],
  ["escape characters", `select U&"!0061" uescape '!'`, `select U&"!0061" uescape '?'`],
  ["strings with backslashes", "select e'\\'a'", "select e'\\'b'"],
  ["dollar quotes", "select $$a$$", "select $$b$$"],
  ["parameters", "select $1", "select $2"],
  ["comments", "select 1 -- '\n, 'a'", "select 1 -- '\n, 'b'"],
  ["other letters", "select 'ä', 1", "select 'ä', 2"],
  ["types by their length", "select 1::float(24)", "select 1::float(25)"],
  ["open strings", "select 'a", "select 'b"],
  ["open names", 'select "a 1', 'select "a 2'],
])("keeps %s apart", (_what, one, other) => {
  expect(shapeOf(one)).not.toBe(shapeOf(other));
});

test("keeps strings and numbers apart", () => {
  expect(new Set(["select 'a'", "select 1", "select a", "select null", "select ''''"].map(shapeOf)).size).toBe(5);
});
