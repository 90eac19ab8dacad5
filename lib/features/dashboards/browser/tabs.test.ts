import { expect, it } from "vitest";
import { stackTabs, tabsOf, tabToShow, widgetsOfTab } from "@/lib/features/dashboards/browser/tabs";

const widget = (id: string, y: number, tab?: string) => ({ id, layout: { x: 0, y, w: 6, h: 4 }, ...(tab && { tab }) });
const widgets = [
  widget("late", 12, "Orders"),
  widget("all", 0),
  widget("first", 4, "Sales"),
  widget("more", 8, "Sales"),
];
const idsOf = (tab: string | null) => widgetsOfTab(widgets, tab).map(({ id }) => id);

it("orders tabs by their first widgets, wherever these are on their grids", () => {
  expect(tabsOf(widgets)).toEqual(["Orders", "Sales"]);
  expect(tabsOf([widget("all", 0)])).toEqual([]);
});

it("shows the asked tab, or the first one", () => {
  expect(tabToShow(["Sales", "Orders"], "Orders")).toBe("Orders");
  expect(tabToShow(["Sales", "Orders"], "Gone")).toBe("Sales");
  expect(tabToShow(["Sales"], null)).toBe("Sales");
  expect(tabToShow([], "Gone")).toBeNull();
});

it("shows widgets without a tab on all tabs", () => {
  expect(idsOf("Sales")).toEqual(["all", "first", "more"]);
  expect(idsOf("Orders")).toEqual(["late", "all"]);
  expect(idsOf(null)).toHaveLength(4);
});

it("stacks the grids of tabs, which have the same positions, below the widgets of all tabs", () => {
  const stacked = stackTabs([
    widget("a", 0, "Sales"),
    widget("all", 3),
    widget("b", 0, "Orders"),
    widget("c", 9, "Sales"),
  ]);
  expect(stacked.map(({ id, layout }) => [id, layout.y])).toEqual([
    ["all", 0],
    ["a", 4],
    ["c", 8],
    ["b", 12],
  ]);
});
