import { describe, expect, it } from "vitest";
import { drillInto, type MarkValue } from "./drill";
import { NEW_QUESTION, type Question, type QuestionGroup } from "./question";
import { columnFinder, tablesOf } from "./tables";

const ORDERS = {
  name: "orders",
  kind: "table" as const,
  columns: [
    { name: "status", type: "text", nullable: true },
    { name: "total", type: "numeric(10,2)", nullable: true },
    { name: "paid", type: "boolean", nullable: true },
    { name: "day", type: "date", nullable: true },
    { name: "local_at", type: "timestamp", nullable: true },
    { name: "at", type: "timestamp with time zone", nullable: true },
    { name: "tags", type: "jsonb", nullable: true },
  ].map((column) => ({ ...column, primaryKey: false })),
};

function drill(
  group: QuestionGroup,
  mark: { value: unknown } | { from: number; to: number },
  more: Partial<Question> = {},
) {
  const question: Question = {
    ...NEW_QUESTION,
    table: { name: "orders" },
    summaries: [{ function: "count" }],
    groups: [group],
    timezone: "Europe/Vienna",
    ...more,
  };
  const find = columnFinder(question, tablesOf(question, [ORDERS]));
  return drillInto(question, [{ group: 0, ...mark } as MarkValue], find);
}
const filtersOf = (...given: Parameters<typeof drill>) =>
  drill(...given).rows?.filters.map(({ op, values }) => [op, ...values]) ?? null;
const by = (column: string, more: Partial<QuestionGroup> = {}): QuestionGroup => ({ column: { column }, ...more });

describe("the rows of a mark", () => {
  it.each([
    ["a text", by("status"), "paid", [["eq", "paid"]]],
    ["an empty text", by("status"), "", [["eq", ""]]],
    ["null", by("status"), null, [["isNull"]]],
    ["null of a time", by("at", { grain: "month" }), null, [["isNull"]]],
    ["a decimal", by("total"), "12.50", [["eq", "12.50"]]],
    [
      "a range",
      by("total", { bin: 0.1 }),
      "0.2",
      [
        ["gte", "0.2"],
        ["lt", "0.3"],
      ],
    ],
    ["a boolean", by("paid"), true, [["eq", true]]],
    ["a boolean that is a number", by("paid"), 0, [["eq", false]]],
    ["a date", by("day"), "2026-05-31", [["eq", "2026-05-31"]]],
    ["a month of dates", by("day", { grain: "month" }), "2026-02-01", [["between", "2026-02-01", "2026-02-28"]]],
    ["a week", by("day", { grain: "week" }), "2026-05-25", [["between", "2026-05-25", "2026-05-31"]]],
    ["the last year", by("day", { grain: "year" }), "9999-01-01", [["between", "9999-01-01", "9999-12-31"]]],
    ["a local time", by("local_at"), "2026-05-31 14:30:00.5", [["eq", "2026-05-31T14:30:00.500"]]],
    [
      "a local hour",
      by("local_at", { grain: "hour" }),
      "2026-05-31T23:00:00",
      [
        ["gte", "2026-05-31T23:00:00"],
        ["lt", "2026-06-01T00:00:00"],
      ],
    ],
    ["a moment", by("at"), "2026-05-31T14:30:00Z", [["eq", "2026-05-31T14:30:00Z"]]],
    ["a moment with an offset", by("at"), "2026-05-31 14:30:00+02", [["eq", "2026-05-31T12:30:00Z"]]],
    ["a microsecond", by("at"), "2026-05-31T14:30:00.000006Z", [["eq", "2026-05-31T14:30:00.000006Z"]]],
    [
      "a quarter that starts at a moment",
      by("at", { grain: "quarter" }),
      "2026-09-30T22:00:00Z",
      [["between", "2026-10-01", "2026-12-31"]],
    ],
  ])("of %s have its value", (_, group, value, filters) => {
    expect(filtersOf(group, { value })).toEqual(filters);
  });

  it.each([
    // Clocks show 02:00 to 03:00 twice, from 00:00Z to 02:00Z.
    [
      "2026-10-25T01:00:00",
      [
        ["gte", "2026-10-24T23:00:00Z"],
        ["lt", "2026-10-25T00:00:00Z"],
      ],
    ],
    [
      "2026-10-25T02:00:00",
      [
        ["gte", "2026-10-25T00:00:00Z"],
        ["lt", "2026-10-25T02:00:00Z"],
      ],
    ],
    [
      "2026-10-25T03:00:00",
      [
        ["gte", "2026-10-25T03:00:00"],
        ["lt", "2026-10-25T04:00:00"],
      ],
    ],
    // They skip 02:00 to 03:00.
    [
      "2026-03-29T01:00:00",
      [
        ["gte", "2026-03-29T01:00:00"],
        ["lt", "2026-03-29T02:00:00"],
      ],
    ],
  ])("of the hour %s are those of its moments where clocks change", (value, filters) => {
    expect(filtersOf(by("at", { grain: "hour" }), { value })).toEqual(filters);
  });

  it("of a minute that clocks show twice have no filter, of its day they have", () => {
    expect(filtersOf(by("at", { grain: "minute" }), { value: "2026-10-25T02:30:00" })).toBeNull();
    expect(filtersOf(by("at", { grain: "day" }), { value: "2026-10-25" })).toEqual([["eq", "2026-10-25"]]);
    // Midnight is shown twice in Amman.
    const amman = { timezone: "Asia/Amman" };
    expect(filtersOf(by("at", { grain: "day" }), { value: "2021-10-29" }, amman)).toEqual([
      ["gte", "2021-10-28T21:00:00Z"],
      ["lt", "2021-10-29T22:00:00Z"],
    ]);
  });

  it("of a span that a chart drew are its days", () => {
    const mark = { from: Date.parse("2026-05-01T00:00Z"), to: Date.parse("2026-06-01T00:00Z") };
    expect(filtersOf(by("at", { grain: "day" }), mark)).toEqual([["between", "2026-05-01", "2026-05-31"]]);
  });

  it("keep filters and joins, and lose summaries, groups and sorts", () => {
    const filters = [{ column: { column: "paid" }, op: "eq" as const, values: [true] }];
    const sorts = [{ by: "count", order: "desc" as const }];
    const { rows } = drill(by("status"), { value: "new" }, { filters, sorts, limit: 5 });
    expect(rows).toMatchObject({ summaries: [], groups: [], sorts: [], limit: 1000, timezone: "Europe/Vienna" });
    expect(rows?.filters).toEqual([...filters, { column: { column: "status" }, op: "eq", values: ["new"] }]);
  });

  it.each([
    ["an object", by("tags"), { a: 1 }],
    ["no number", by("total"), "NaN"],
    ["no time", by("at", { grain: "day" }), "infinity"],
    ["a text that is too long", by("status"), "x".repeat(10_001)],
    ["an hour that ends after the last year", by("local_at", { grain: "hour" }), "9999-12-31T23:00:00"],
  ])("of %s have no filter", (_, group, value) => {
    expect(filtersOf(group, { value })).toBeNull();
  });
});

describe("a finer grain of a mark", () => {
  const finerOf = (column: string, grain: QuestionGroup["grain"], value: unknown) =>
    drill(by(column, { ...(grain && { grain }) }), { value }).finer.map((each) => each.grain);

  it("is the next one, and week or day for a month", () => {
    expect(finerOf("at", "year", "2026-01-01")).toEqual(["quarter"]);
    expect(finerOf("at", "month", "2026-05-01")).toEqual(["week", "day"]);
    expect(finerOf("at", "day", "2026-05-01")).toEqual(["hour"]);
    expect([finerOf("day", "day", "2026-05-01"), finerOf("at", "hour", "2026-05-01T10:00:00")]).toEqual([[], []]);
    expect([finerOf("status", undefined, "a"), finerOf("at", "month", null)]).toEqual([[], []]);
  });

  it("filters its span, and keeps other groups and sorts", () => {
    const groups = [by("status"), by("at", { grain: "quarter" })];
    const question: Question = {
      ...NEW_QUESTION,
      table: { name: "orders" },
      summaries: [{ function: "count" }],
      groups,
      sorts: [{ by: "at", order: "desc" }],
      timezone: "UTC",
    };
    const find = columnFinder(question, tablesOf(question, [ORDERS]));
    const marks: MarkValue[] = [
      { group: 0, value: "paid" },
      { group: 1, value: "2026-04-01T00:00:00" },
    ];
    expect(drillInto(question, marks, find).finer).toEqual([
      {
        grain: "month",
        question: {
          ...question,
          groups: [by("status"), by("at", { grain: "month" })],
          filters: [{ column: { column: "at" }, op: "between", values: ["2026-04-01", "2026-06-30"] }],
        },
      },
    ]);
  });
});
