import { expect, test } from "vitest";
import { spacedName } from "./spaced-name";

test.each([
  ["", "", "orders "],
  ["select * from ", "", "orders "],
  ["select * from", "", " orders "],
  ["from a join b on b.x = a.y where", "\nlimit 1", " orders"],
  ["count(", ")", "orders"],
  ["public.", " o", "orders"],
  ["from a,", "b", "orders "],
  ["from a\n", ";", "orders"],
])("orders a position between %j and %j: %j", (before, after, written) => {
  expect(spacedName("orders", before, after)).toBe(written);
});
