import { expect, it } from "vitest";
import type { GridColumn } from "@/components/grid/use-result-columns";
import { placeColumns } from "./place-columns";

const column = (name: string, type: "string" | "int32", isPinned = false) =>
  ({ index: 0, field: { name, type, dbType: "" }, width: 100, isPinned }) as unknown as GridColumn;

it("puts columns beside each other, after the row numbers", () => {
  const { placed, width } = placeColumns([column("a", "int32"), column("b", "int32")], 50, 0);
  expect(placed.map(({ left, width: each }) => [left, each])).toEqual([
    [50, 100],
    [150, 100],
  ]);
  expect(width).toBe(250);
});

it("gives the remaining width to a text at the end, and not to a number", () => {
  expect(placeColumns([column("a", "string")], 50, 400).placed[0]?.width).toBe(350);
  expect(placeColumns([column("a", "int32")], 50, 400).placed[0]?.width).toBe(100);
  expect(placeColumns([column("a", "string", true)], 50, 400).placed[0]?.width).toBe(100);
});

it("returns the width of the pinned part with the row numbers", () => {
  expect(placeColumns([column("a", "int32", true), column("b", "string")], 50, 400).pinnedWidth).toBe(150);
});
