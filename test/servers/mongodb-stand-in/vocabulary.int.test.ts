import { Binary, Decimal128, Double, ObjectId } from "bson";
import { describe, expect, test } from "vitest";
import { typeName, type Value } from "@/lib/platform/embedded/mongo/bson/values";
import { evaluate } from "@/test/fixtures/embedded/mongo/evaluate";
import { plain } from "@/test/fixtures/embedded/mongo/plain";
import "./vocabulary";

/** Expression and result. The results come from the examples of MongoDB's manual or were worked out manually. */
const table: [unknown, unknown][] = [
  [{ $divide: [7, 2] }, 3.5],
  [{ $concat: ["a", "b", "c"] }, "abc"],
  [{ $concat: ["a", null] }, null],
  [{ $regexMatch: { input: "Line", regex: "^li", options: "i" } }, true],
  [{ $arrayElemAt: [[1, 2, 3], -1] }, 3],
  [{ $arrayElemAt: [[1], 5] }, undefined],
  [{ $reduce: { input: [1, 2, 3], initialValue: 0, in: { $add: ["$$value", "$$this"] } } }, 6],
  [{ $range: [2, 5] }, [2, 3, 4]],
  [{ $indexOfArray: [["a", "b"], "b"] }, 1],
  [{ $setDifference: [[1, 2], [2]] }, [1]],
  [{ $objectToArray: { a: 1 } }, [{ k: "a", v: 1 }]],
  [{ $let: { vars: { x: 5 }, in: { $add: ["$$x", 1] } } }, 6],
  [{ $toString: new ObjectId("65a1b2c3d4e5f60718293a4b") }, "65a1b2c3d4e5f60718293a4b"],
  [{ $toString: new Binary(Buffer.from([0xff, 0]), 5) }, "/wA="],
  [{ $convert: { input: new Binary(Buffer.from("a")), to: "string" } }, "YQ=="],
  [{ $toDate: "2024-05-06T07:08:09.5Z" }, new Date("2024-05-06T07:08:09.500Z")],
  [{ $convert: { input: "x", to: "date", onError: "bad" } }, "bad"],
  [{ $convert: { input: 1.5, to: "string" } }, "1.5"],
  [{ $dateToString: { date: new Date("2024-05-06T07:08:09.010Z"), format: "%d/%m/%Y %%" } }, "06/05/2024 %"],
  [{ $dateToString: { date: new Date("2024-05-06T07:08:09.010Z") } }, "2024-05-06T07:08:09.010Z"],
  [
    { $dateTrunc: { date: new Date("2024-05-08T07:08:09Z"), unit: "week", startOfWeek: "monday" } },
    new Date("2024-05-06T00:00:00Z"),
  ],
  [{ $dateTrunc: { date: new Date("2024-05-08T07:08:09Z"), unit: "week" } }, new Date("2024-05-05T00:00:00Z")],
  [{ $dateTrunc: { date: new Date("2024-05-08T07:08:09Z"), unit: "quarter" } }, new Date("2024-04-01T00:00:00Z")],
  [{ $dateTrunc: { date: new Date("2024-05-08T07:08:09Z"), unit: "hour" } }, new Date("2024-05-08T07:00:00Z")],
  [
    { $dateTrunc: { date: new Date("2024-05-08T07:08:09Z"), unit: "day", timezone: "Europe/Vienna" } },
    new Date("2024-05-07T22:00:00Z"),
  ],
  // A day on which clocks change has 23 hours.
  [
    { $dateAdd: { startDate: new Date("2026-03-28T23:00:00Z"), unit: "day", amount: 1, timezone: "Europe/Vienna" } },
    new Date("2026-03-29T22:00:00Z"),
  ],
  [{ $dateAdd: { startDate: new Date("2026-03-01T00:00:00Z"), unit: "quarter", amount: -1 } }, new Date("2025-12-01")],
  [{ $floor: -1.5 }, -2],
  [{ $toDate: "2024-05-06T07:08:09+02:00" }, new Date("2024-05-06T05:08:09Z")],
  [
    {
      $setEquals: [
        [1, 2],
        [2, 1, 1],
      ],
    },
    true,
  ],
];

describe("an expression of users' statements", () => {
  test.each(table)("%j", (expression, result) => {
    expect(plain(evaluate(expression))).toEqual(plain(result as Value));
  });

  test("divides into a double, and no decimals", () => {
    expect(typeName(evaluate({ $divide: [4, 2] }))).toBe("double");
    expect(() => evaluate({ $divide: [new Double(1), Decimal128.fromString("0.1")] })).toThrow(/decimals/);
  });

  test.each([
    ["division by zero", { $divide: [1, 0] }, 2],
    ["text of numbers", { $concat: ["a", 1] }, 16702],
    ["text that is no date", { $toDate: "x" }, 241],
    ["a conversion to another type", { $convert: { input: 1, to: "bool" } }, 2],
    ["an option of a date out of scope", { $dateTrunc: { date: new Date(0), unit: "day", binSize: 2 } }, 9],
    ["a part of a date out of scope", { $dateToString: { date: new Date(0), format: "%H" } }, 18536],
    ["a unit of time out of scope", { $dateTrunc: { date: new Date(0), unit: "second" } }, 9],
  ])("is rejected with MongoDB's code: %s", (_, expression, code) => {
    expect(() => evaluate(expression)).toThrow(expect.objectContaining({ code }));
  });
});
