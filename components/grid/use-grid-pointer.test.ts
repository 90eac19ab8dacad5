import { expect, it } from "vitest";
import { toDragged } from "./use-grid-pointer";

it("drags from the pressed cell, and selects whole rows by their numbers", () => {
  const cell = { row: 1, column: 2 };
  expect(toDragged(null, cell, 5)).toEqual({ anchor: cell, head: cell });
  expect(toDragged({ row: 0, column: 0 }, cell, 5)).toEqual({ anchor: { row: 0, column: 0 }, head: cell });
  expect(toDragged(null, { row: 3, column: -1 }, 5)).toEqual({
    anchor: { row: 3, column: 0 },
    head: { row: 3, column: 4 },
  });
});
