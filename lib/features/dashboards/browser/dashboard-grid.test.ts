import { expect, test } from "vitest";
import { placeWidgets } from "@/lib/features/dashboards/browser/dashboard-grid";

const at = (id: string, x: number, y: number, w: number, h: number) => ({ id, layout: { x, y, w, h } });
const drawn = (widgets: ReturnType<typeof at>[]) =>
  placeWidgets(widgets).map(({ id, layout: { x, y, w, h } }) => `${id} ${x},${y} ${w}x${h}`);

test("widgets stand where they were put, in the order of reading", () => {
  expect(drawn([at("b", 6, 0, 6, 4), at("c", 0, 4, 12, 2), at("a", 0, 0, 6, 4)])).toEqual([
    "a 0,0 6x4",
    "b 6,0 6x4",
    "c 0,4 12x2",
  ]);
});

test("one that lies over another goes below it, and holes close", () => {
  expect(drawn([at("a", 0, 3, 6, 4), at("b", 4, 4, 6, 2), at("c", 0, 40, 4, 1)])).toEqual([
    "a 0,0 6x4",
    "c 0,4 4x1",
    "b 4,4 6x2",
  ]);
});

test("what is wider than the page, or begins beyond its edge, is drawn inside of it", () => {
  expect(drawn([at("a", 30, 0, 48, 2), at("b", 11, 2, 4, 2)])).toEqual(["a 0,0 12x2", "b 8,2 4x2"]);
});

test("sixty widgets at one place are a column of sixty", () => {
  const widgets = placeWidgets(Array.from({ length: 60 }, (_, i) => at(String(i), 0, 0, 4, 3)));
  expect(widgets.map(({ layout }) => layout.y)).toEqual(Array.from({ length: 60 }, (_, i) => i * 3));
});
