import { expect, test } from "vitest";
import { placeWidgets } from "@/lib/features/dashboards/browser/dashboard-grid";

const at = (id: string, x: number, y: number, w: number, h: number) => ({ id, layout: { x, y, w, h } });
const drawn = (widgets: ReturnType<typeof at>[]) =>
  placeWidgets(widgets).map(({ id, layout: { x, y, w, h } }) => `${id} ${x},${y} ${w}x${h}`);

test("keeps widgets at their position, in reading order", () => {
  expect(drawn([at("b", 6, 0, 6, 4), at("c", 0, 4, 12, 2), at("a", 0, 0, 6, 4)])).toEqual([
    "a 0,0 6x4",
    "b 6,0 6x4",
    "c 0,4 12x2",
  ]);
});

test("moves an overlapping widget down and closes gaps", () => {
  expect(drawn([at("a", 0, 3, 6, 4), at("b", 4, 4, 6, 2), at("c", 0, 40, 4, 1)])).toEqual([
    "a 0,0 6x4",
    "c 0,4 4x1",
    "b 4,4 6x2",
  ]);
});

test("draws widgets beyond the page's edge inside", () => {
  expect(drawn([at("a", 30, 0, 48, 2), at("b", 11, 2, 4, 2)])).toEqual(["a 0,0 12x2", "b 8,2 4x2"]);
});

test("stacks sixty widgets of one position", () => {
  const widgets = placeWidgets(Array.from({ length: 60 }, (_, i) => at(String(i), 0, 0, 4, 3)));
  expect(widgets.map(({ layout }) => layout.y)).toEqual(Array.from({ length: 60 }, (_, i) => i * 3));
});
