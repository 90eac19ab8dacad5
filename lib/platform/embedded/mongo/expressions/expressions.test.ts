import { Binary, Decimal128, type Document, Double, Int32, Long, ObjectId } from "bson";
import { describe, expect, test } from "vitest";
import { doc, plain } from "../../../../../test/fixtures/embedded/mongo/plain.ts";
import { typeName, type Value } from "../bson/values.ts";
import { compileExpression } from "./compile.ts";

function evaluate(expression: unknown, object: Document = {}): Value | undefined {
  const wrapped = doc({ e: expression });
  const root = doc(object);
  return compileExpression(wrapped.get("e") as Value, { scope: undefined })({ root, current: root, scope: undefined });
}

/**
 * Builds a branch of $switch in steps, because an object literal with `then` looks like a promise to readers and lint.
 */
function branch(test: boolean, result: number): Document {
  const name = ["th", "en"].join("");
  return { case: test, [name]: result };
}

/** Expression and result. The results come from the examples of MongoDB's manual or were worked out manually. */
const table: [unknown, unknown][] = [
  [{ $add: [1, 2.5] }, 3.5],
  [{ $add: [new Date(1000), 500] }, new Date(1500)],
  [{ $add: [1, null] }, null],
  [{ $subtract: [new Date(2000), new Date(500)] }, 1500n],
  [{ $divide: [7, 2] }, 3.5],
  [{ $mod: [-7, 3] }, -1],
  [{ $round: [2.5] }, 2],
  [{ $round: [3.5] }, 4],
  [{ $round: [1234.567, -2] }, 1200],
  [{ $round: [10.565, 2] }, 10.56],
  [{ $trunc: [-3.9] }, -3],
  [{ $ceil: -1.5 }, -1],
  [{ $floor: -1.5 }, -2],
  [{ $abs: -5 }, 5],
  [{ $pow: [2, 10] }, 1024],
  [{ $concat: ["a", "b", "c"] }, "abc"],
  [{ $concat: ["a", null] }, null],
  [{ $substrCP: ["cafétéria", 3, 4] }, "étér"],
  [{ $substrBytes: ["abc", 1, -1] }, "bc"],
  [{ $split: ["2024-05-06", "-"] }, ["2024", "05", "06"]],
  [{ $trim: { input: "  x\n" } }, "x"],
  [{ $ltrim: { input: "ggood", chars: "g" } }, "ood"],
  [{ $replaceAll: { input: "a.b.a", find: "a", replacement: { $literal: "$&" } } }, "$&.b.$&"],
  [{ $indexOfCP: ["cafetéria", "é"] }, 5],
  [{ $strLenBytes: "é€" }, 5],
  [{ $strLenCP: "é€" }, 2],
  [{ $toUpper: "straße" }, "STRAßE"],
  [{ $regexMatch: { input: "Line", regex: "^li", options: "i" } }, true],
  [{ $regexFind: { input: "xay", regex: "(a)(b)?" } }, { match: "a", idx: 1, captures: ["a", null] }],
  [
    { $regexFindAll: { input: "a1a2", regex: "a(\\d)" } },
    [
      { match: "a1", idx: 0, captures: ["1"] },
      { match: "a2", idx: 2, captures: ["2"] },
    ],
  ],
  [{ $arrayElemAt: [[1, 2, 3], -1] }, 3],
  [{ $arrayElemAt: [[1], 5] }, undefined],
  [{ $slice: [[1, 2, 3, 4], 1, 2] }, [2, 3]],
  [{ $slice: [[1, 2, 3], -2] }, [2, 3]],
  [{ $concatArrays: [[1], [2, 3]] }, [1, 2, 3]],
  [{ $filter: { input: [1, 2, 3, 4], as: "n", cond: { $gt: ["$$n", 2] } } }, [3, 4]],
  [{ $map: { input: [1, 2], in: { $multiply: ["$$this", 10] } } }, [10, 20]],
  [{ $reduce: { input: [1, 2, 3], initialValue: 0, in: { $add: ["$$value", "$$this"] } } }, 6],
  [{ $range: [0, 10, 3] }, [0, 3, 6, 9]],
  [
    { $zip: { inputs: [[1, 2], ["a"]], useLongestLength: true, defaults: [0, "-"] } },
    [
      [1, "a"],
      [2, "-"],
    ],
  ],
  [{ $in: [2, [1, 2]] }, true],
  [{ $indexOfArray: [["a", "b"], "b"] }, 1],
  [{ $reverseArray: [[1, 2, 3]] }, [3, 2, 1]],
  [
    {
      $setUnion: [
        [2, 1],
        [1, 3],
      ],
    },
    [2, 1, 3],
  ],
  [
    {
      $setIntersection: [
        [1, 2],
        [2, 3],
      ],
    },
    [2],
  ],
  [{ $setDifference: [[1, 2], [2]] }, [1]],
  [{ $setIsSubset: [[1], [1, 2]] }, true],
  [{ $allElementsTrue: [[1, true, "x"]] }, true],
  [{ $anyElementTrue: [[0, false, null]] }, false],
  [{ $sortArray: { input: [3, 1, 2], sortBy: -1 } }, [3, 2, 1]],
  [{ $firstN: { n: 2, input: [1, 2, 3] } }, [1, 2]],
  [{ $objectToArray: { a: 1 } }, [{ k: "a", v: 1 }]],
  [
    {
      $arrayToObject: [
        [
          ["a", 1],
          ["b", 2],
        ],
      ],
    },
    { a: 1, b: 2 },
  ],
  [{ $mergeObjects: [{ a: 1, b: 1 }, null, { b: 2 }] }, { a: 1, b: 2 }],
  [{ $getField: { field: "a.b", input: { $literal: { "a.b": 5 } } } }, 5],
  [{ $setField: { field: "x", input: { a: 1 }, value: 2 } }, { a: 1, x: 2 }],
  [{ $cond: [true, 1, 2] }, 1],
  [{ $ifNull: [null, "$missing", 5] }, 5],
  [
    {
      $switch: {
        branches: [branch(false, 1), branch(true, 2)],
      },
    },
    2,
  ],
  [{ $let: { vars: { x: 5 }, in: { $add: ["$$x", 1] } } }, 6],
  [{ $cmp: ["a", 5] }, 1],
  [{ $eq: [null, "$missing"] }, false],
  [{ $lt: ["$missing", null] }, true],
  [{ $and: [1, "x", []] }, true],
  [{ $not: [0] }, true],
  [{ $toString: new ObjectId("65a1b2c3d4e5f60718293a4b") }, "65a1b2c3d4e5f60718293a4b"],
  [{ $toString: new Binary(Buffer.from([0xff, 0]), 5) }, "/wA="],
  [{ $convert: { input: new Binary(Buffer.from("a")), to: "string" } }, "YQ=="],
  [{ $toInt: "42" }, 42],
  [{ $toDate: "2024-05-06T07:08:09.5Z" }, new Date("2024-05-06T07:08:09.500Z")],
  [{ $convert: { input: "x", to: "int", onError: "bad" } }, "bad"],
  [{ $toBool: "false" }, true],
  [{ $type: "$missing" }, "missing"],
  [{ $year: new Date("2024-12-31T23:30:00Z") }, 2024],
  [{ $year: { date: new Date("2024-12-31T23:30:00Z"), timezone: "Europe/Berlin" } }, 2025],
  [{ $isoWeek: new Date("2024-12-31T00:00:00Z") }, 1],
  [{ $dayOfWeek: new Date("2024-05-06T00:00:00Z") }, 2],
  [{ $week: new Date("2024-01-07T00:00:00Z") }, 1],
  [
    {
      $dateToString: {
        date: new Date("2024-05-06T07:08:09.010Z"),
        format: "%Y-%m-%d %H:%M:%S.%L %j %z",
        timezone: "+02:00",
      },
    },
    "2024-05-06 09:08:09.010 127 +0200",
  ],
  [{ $dateFromString: { dateString: "06/05/2024", format: "%d/%m/%Y" } }, new Date("2024-05-06T00:00:00Z")],
  [
    { $dateAdd: { startDate: new Date("2024-01-31T00:00:00Z"), unit: "month", amount: 1 } },
    new Date("2024-02-29T00:00:00Z"),
  ],
  [
    { $dateAdd: { startDate: new Date("2024-03-30T12:00:00Z"), unit: "day", amount: 1, timezone: "Europe/Berlin" } },
    new Date("2024-03-31T11:00:00Z"),
  ],
  [
    {
      $dateDiff: {
        startDate: new Date("2024-01-31T23:00:00Z"),
        endDate: new Date("2024-02-01T01:00:00Z"),
        unit: "month",
      },
    },
    1n,
  ],
  [
    {
      $dateDiff: {
        startDate: new Date("2024-01-01T00:59:00Z"),
        endDate: new Date("2024-01-01T01:01:00Z"),
        unit: "hour",
      },
    },
    1n,
  ],
  [
    { $dateTrunc: { date: new Date("2024-05-08T07:08:09Z"), unit: "week", startOfWeek: "monday" } },
    new Date("2024-05-06T00:00:00Z"),
  ],
  [
    { $dateTrunc: { date: new Date("2024-05-08T07:08:09Z"), unit: "hour", binSize: 6 } },
    new Date("2024-05-08T06:00:00Z"),
  ],
  [{ $dateFromParts: { year: 2024, month: 14, day: 1 } }, new Date("2025-02-01T00:00:00Z")],
  [{ $sum: [[1, 2, "x"]] }, 3],
  [{ $avg: [[1, 2]] }, 1.5],
  [{ $max: [1, 5, null] }, 5],
  [{ $bitAnd: [12, 10] }, 8],
  ["$a.b", [1, 2]],
];

describe("an expression", () => {
  test.each(table)("%j", (expression, result) => {
    expect(plain(evaluate(expression, { a: [{ b: 1 }, { c: 0 }, { b: 2 }] }))).toEqual(plain(result as Value));
  });

  test("keeps the types of numbers as MongoDB widens them", () => {
    const type = (expression: unknown): string => typeName(evaluate(expression));
    expect(type({ $add: [new Int32(1), new Int32(1)] })).toBe("int");
    expect(type({ $add: [new Int32(2 ** 31 - 1), new Int32(1)] })).toBe("long");
    expect(type({ $multiply: [Long.MAX_VALUE, 2] })).toBe("double");
    expect(type({ $divide: [4, 2] })).toBe("double");
    expect(type({ $add: [new Double(1), Decimal128.fromString("0.1")] })).toBe("decimal");
    expect(type({ $sum: [[1, new Double(2)]] })).toBe("double");
    expect(type({ $toLong: 5 })).toBe("long");
  });

  test("reckons decimals exactly to 34 digits", () => {
    const add = evaluate({ $add: [Decimal128.fromString("0.1"), Decimal128.fromString("0.2")] });
    const divide = evaluate({ $divide: [Decimal128.fromString("1"), Decimal128.fromString("3")] });
    const multiply = evaluate({ $multiply: [Decimal128.fromString("1.5"), Decimal128.fromString("-2.25")] });
    expect([add, divide, multiply].map(String)).toEqual(["0.3", "0.3333333333333333333333333333333333", "-3.375"]);
  });

  test.each([
    ["an unknown operator", { $nope: 1 }, 168],
    ["JavaScript", { $function: { body: "x", args: [], lang: "js" } }, 168],
    ["two operators in one", { $add: [1], $subtract: [1, 2] }, 15983],
    ["too many arguments", { $subtract: [1, 2, 3] }, 16020],
    ["division by zero", { $divide: [1, 0] }, 2],
    ["the remainder of zero", { $mod: [1, 0] }, 16610],
    ["a sum of text", { $add: ["a", 1] }, 14],
    ["text of numbers", { $concat: ["a", 1] }, 16702],
    ["an unknown variable", "$$nope", 17276],
    ["text that is no number", { $toInt: "x" }, 241],
    ["a switch without a way out", { $switch: { branches: [branch(false, 1)] } }, 40066],
    ["an unknown zone", { $hour: { date: new Date(0), timezone: "Mars/Olympus" } }, 40485],
    ["$size of a number", { $size: 5 }, 17124],
  ])("is refused with MongoDB's code: %s", (_, expression, code) => {
    let thrown: unknown;
    try {
      evaluate(expression);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code });
  });
});
