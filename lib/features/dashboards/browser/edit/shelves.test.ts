import { describe, expect, it } from "vitest";
import {
  columnsOf, operationsFor, parseSpec, readShelves, writeShelves,
} from "./shelves"; // biome-ignore format: one look at the whole list

const FIELDS = [
  { name: "id", type: "int64" },
  { name: "region", type: "string" },
  { name: "placed_at", type: "timestamp" },
  { name: "amount", type: "decimal" },
];
const SPEC = {
  dimensions: [{ field: "placed_at", timeUnit: "month" }, "region"],
  measures: [
    { field: "amount", op: "sum" },
    { op: "count", as: "orders" },
  ],
  sort: [{ by: "sum_amount", order: "desc" }],
  limit: 10,
  mark: "bar",
  colour: "region",
};

describe("the shelves of a widget", () => {
  it("are read from its specification and written back unchanged, with everything else", () => {
    const shelves = readShelves(SPEC);
    expect(shelves).toMatchObject({
      dimensions: [
        { field: "placed_at", timeUnit: "month" },
        { field: "region", timeUnit: null },
      ],
      measures: [
        { field: "amount", op: "sum" },
        { field: null, op: "count", as: "orders" },
      ],
      sort: { by: "sum_amount", order: "desc" },
      limit: 10,
    });
    expect(shelves && writeShelves(SPEC, shelves)).toEqual(SPEC);
    expect(shelves && columnsOf(shelves)).toEqual(["placed_at", "region", "sum_amount", "orders"]);
    expect(readShelves({})).toEqual({ dimensions: [], measures: [], sort: null, limit: null });
    expect(readShelves({ dimensions: ["placed_at"], timeUnit: "week" })?.dimensions[0]?.timeUnit).toBe("week");
  });

  it("drop sort entries of removed columns", () => {
    const shelves = readShelves(SPEC);
    expect(shelves && writeShelves(SPEC, { ...shelves, measures: [] })).not.toHaveProperty("sort");
  });

  it("are null for a richer specification", () => {
    const sorts = [{ by: "a" }, { by: "b" }];
    for (const spec of [
      { sort: sorts },
      { measures: [{ op: "sum" }] },
      { dimensions: [{ field: "a", bin: true }] },
      { limit: "x" },
    ]) {
      expect(readShelves(spec)).toBeNull();
    }
  });

  it("offer the operations of a column's type", () => {
    expect(operationsFor(FIELDS[1])).not.toContain("sum");
    expect(operationsFor(FIELDS[3])).toContain("median");
  });
});

describe("a typed specification", () => {
  it("is accepted if the server accepts it", () => {
    expect(parseSpec(JSON.stringify(SPEC))).toEqual({ spec: SPEC });
  });
  it.each([
    ['{"mark": "bar",}', /line 1, column 16/],
    ['{\n  "mark": bar\n}', /line 2, column/],
    ["", /line 1/],
    ["[1]", /must be an object/],
    ['{"measures": [{"op": "count"}, {"op": "sum"}]}', /^measures\.1: /],
    ['{"dimensions": "region"}', /^dimensions: expected a list/],
    ['{"dimensions": [{"field": "a", "timeUnit": "fortnight"}]}', /^dimensions\.0/],
    ['{"sort": [{"order": "asc"}]}', /^sort\.0/],
    ['{"limit": 0}', /^limit: /],
    ['{"timeUnit": "fortnight"}', /^timeUnit: /],
  ])("is rejected with the position: %s", (text, words) => {
    const read = parseSpec(text);
    expect("problem" in read && read.problem).toMatch(words);
  });
});
