import { describe, expect, test } from "vitest";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { arrangeNow, PLAIN } from "@/lib/features/results/browser/arrangement";
import { parseFilter, toFilterWords, toTypedFilter } from "@/lib/features/results/browser/column-filter";
import { ObjectTable, RowTable } from "@/lib/features/results/browser/row-table";

const NUMBER: ResultField = { name: "total", type: "decimal" };
const TEXT: ResultField = { name: "region", type: "string" };
const TIME: ResultField = { name: "at", type: "timestamptz" };

function hits(field: ResultField, values: CellValue[], typed: string): number[][] {
  const condition = parseFilter(typed, field);
  if (condition === null) throw new Error("no condition");
  const rows = values.map((value) => ({ [field.name]: value }));
  const held = new RowTable([field]);
  for (const row of rows) held.push(row);
  return [new ObjectTable([field], rows), held].map((table) => [
    ...(arrangeNow(table, { ...PLAIN, columns: [{ ...condition, column: 0 }] }) ?? []),
  ]);
}

describe("a column filter", () => {
  test.each([
    [NUMBER, [null, "299.99", "300", "1148.00"], ">= 300", [2, 3]],
    // More digits than a double distinguishes.
    [{ name: "n", type: "int64" }, ["9007199254740993", "9007199254740992"], "9007199254740993", [0]],
    [NUMBER, ["1148.0", "1148.00", "2"], "1,148", [0, 1]],
    [TEXT, ["north", "coast", null], "!north", [1, 2]],
    [TEXT, ["North-west", "coast", null], "north", [0]],
    [TEXT, ["north", "North-west"], "=north", [0]],
    [TEXT, ["north", null], "null", [1]],
    [TEXT, ["north", null], "!null", [0]],
    [TIME, ["2026-10-22T23:59:59Z", "2026-10-23T00:00:00Z"], ">= 2026-10-23 00:00:00", [1]],
    [TEXT, ["north", "coast", null, "a, b", "null"], 'in (north, "a, b")', [0, 3]],
    [TEXT, ["north", "it's", null, "null"], "IN ('it''s', null)", [1, 2]],
    [TEXT, ["north", "null"], 'in ("null")', [1]],
    [NUMBER, ["1", "1.0", "2", null], "in (1, 2.00)", [0, 1, 2]],
    [{ name: "b", type: "boolean" }, [true, false, null], "true", [0]],
  ] as [ResultField, CellValue[], string, number[]][])(
    "%o matches as typed, in both row stores",
    (field, values, typed, wanted) => {
      expect(hits(field, values, typed)).toEqual([wanted, wanted]);
    },
  );

  test("is described in words that can be typed again", () => {
    const least = parseFilter(">=1300", NUMBER);
    expect(least && toFilterWords(least, NUMBER)).toBe("≥ 1,300");
    expect(least && parseFilter(toTypedFilter(least), NUMBER)).toEqual(least);
    const since = parseFilter(">= 2026-10-23", { name: "d", type: "date" });
    expect(since && toFilterWords(since, { name: "d", type: "date" })).toBe("since 2026-10-23");
    const any = parseFilter(`in (a, "b, c", 'd''e', "", null, "null", "x ""y""")`, TEXT);
    expect(any).toEqual({ op: "any", values: ["a", "b, c", "d'e", "", null, "null", 'x "y"'] });
    expect(any && parseFilter(toTypedFilter(any), TEXT)).toEqual(any);
    expect(toFilterWords({ op: "any", values: ["1300", null] }, NUMBER)).toBe("any of 1,300, null");
    expect(parseFilter("in ( , )", TEXT)).toBeNull();
    expect(parseFilter("in stock", TEXT)).toEqual({ op: "holds", value: "in stock" });
    expect(parseFilter("  ", TEXT)).toBeNull();
    expect(parseFilter(">=", NUMBER)).toBeNull();
  });
});
