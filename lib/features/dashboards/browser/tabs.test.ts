import { expect, it } from "vitest";
import { tabsOf, tabToShow, widgetsOfTab } from "@/lib/features/dashboards/browser/tabs";

const widget = (id: string, y: number, tab?: string) => ({ id, layout: { x: 0, y, w: 6, h: 4 }, ...(tab && { tab }) });
const widgets = [
  widget("late", 12, "Orders"),
  widget("all", 0),
  widget("first", 4, "Sales"),
  widget("more", 8, "Sales"),
];
const idsOf = (tab: string | null) => widgetsOfTab(widgets, tab).map(({ id }) => id);

it("orders tabs by their first widgets", () => {
  expect(tabsOf(widgets)).toEqual(["Sales", "Orders"]);
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
