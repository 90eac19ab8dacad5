import { describe, expect, it } from "vitest";
import { planCards } from "@/lib/features/results/browser/cards";

const week = { name: "week", type: "date" };
const region = { name: "region", type: "string" };
const orders = { name: "orders", type: "int64" };
const revenue = { name: "revenue", type: "decimal" };

describe("planCards", () => {
  it("uses the first text as title and the last number as figure", () => {
    expect(planCards([week, region, orders, revenue], null)).toEqual({ title: 1, figure: 3, rest: [0, 2] });
  });

  it("uses the number that the rows are sorted by", () => {
    expect(planCards([week, region, orders, revenue], "orders")).toEqual({ title: 1, figure: 2, rest: [0, 3] });
    expect(planCards([week, region, orders, revenue], "region")).toMatchObject({ figure: 3 });
  });

  it("shows a lone number once", () => {
    expect(planCards([orders], null)).toEqual({ title: 0, figure: null, rest: [] });
  });
});
