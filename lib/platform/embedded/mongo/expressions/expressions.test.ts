import { Binary, Decimal128, type Document, Double, Int32, Long, ObjectId } from "bson";
import { describe, expect, test } from "vitest";
import { doc, plain } from "../../../../../test/fixtures/embedded/mongo/plain.ts";
import { typeName, type Value } from "../bson/values.ts";
import { compileExpression } from "./compile.ts";

function evaluate(expression: unknown, object: Document = {}): Value | undefined {
  const wrapped = doc({ e: expression });
  const root = doc(object);
  return compileExpression(wrapped.get("e") as Value, { scope: undefined })({ root, scope: undefined });
}

/** Expression and result. The results come from the examples of MongoDB's manual or were worked out manually. */
const table: [unknown, unknown][] = [
  [{ $add: [1, 2.5] }, 3.5],
  [{ $add: [new Date(1000), 500] }, new Date(1500)],
  [{ $add: [1, null] }, null],
  [{ $subtract: [new Date(2000), new Date(500)] }, 1500n],
  [{ $divide: [7, 2] }, 3.5],
  [{ $concat: ["a", "b", "c"] }, "abc"],
  [{ $concat: ["a", null] }, null],
  [{ $regexMatch: { input: "Line", regex: "^li", options: "i" } }, true],
  [{ $arrayElemAt: [[1, 2, 3], -1] }, 3],
  [{ $arrayElemAt: [[1], 5] }, undefined],
  [{ $slice: [[1, 2, 3], -2] }, [2, 3]],
  [{ $concatArrays: [[1], [2, 3]] }, [1, 2, 3]],
  [{ $filter: { input: [1, 2, 3, 4], as: "n", cond: { $gt: ["$$n", 2] } } }, [3, 4]],
  [{ $map: { input: [1, 2], in: { $multiply: ["$$this", 10] } } }, [10, 20]],
  [{ $reduce: { input: [1, 2, 3], initialValue: 0, in: { $add: ["$$value", "$$this"] } } }, 6],
  [{ $range: [2, 5] }, [2, 3, 4]],
  [{ $in: [2, [1, 2]] }, true],
  [{ $indexOfArray: [["a", "b"], "b"] }, 1],
  [{ $setDifference: [[1, 2], [2]] }, [1]],
  [{ $objectToArray: { a: 1 } }, [{ k: "a", v: 1 }]],
  [{ $mergeObjects: [{ a: 1, b: 1 }, null, { b: 2 }] }, { a: 1, b: 2 }],
  [{ $setField: { field: "x", input: { a: 1 }, value: 2 } }, { a: 1, x: 2 }],
  [{ $cond: [true, 1, 2] }, 1],
  [{ $ifNull: [null, "$missing", 5] }, 5],
  [{ $let: { vars: { x: 5 }, in: { $add: ["$$x", 1] } } }, 6],
  [{ $eq: [null, "$missing"] }, false],
  [{ $lt: ["$missing", null] }, true],
  [{ $and: [1, "x", []] }, true],
  [{ $not: [0] }, true],
  [{ $toString: new ObjectId("65a1b2c3d4e5f60718293a4b") }, "65a1b2c3d4e5f60718293a4b"],
  [{ $toString: new Binary(Buffer.from([0xff, 0]), 5) }, "/wA="],
  [{ $convert: { input: new Binary(Buffer.from("a")), to: "string" } }, "YQ=="],
  [{ $toDate: "2024-05-06T07:08:09.5Z" }, new Date("2024-05-06T07:08:09.500Z")],
  [{ $convert: { input: "x", to: "date", onError: "bad" } }, "bad"],
  [{ $convert: { input: 1.5, to: "string" } }, "1.5"],
  [{ $type: "$missing" }, "missing"],
  [{ $dateToString: { date: new Date("2024-05-06T07:08:09.010Z"), format: "%d/%m/%Y %%" } }, "06/05/2024 %"],
  [{ $dateToString: { date: new Date("2024-05-06T07:08:09.010Z") } }, "2024-05-06T07:08:09.010Z"],
  [
    { $dateTrunc: { date: new Date("2024-05-08T07:08:09Z"), unit: "week", startOfWeek: "monday" } },
    new Date("2024-05-06T00:00:00Z"),
  ],
  [{ $dateTrunc: { date: new Date("2024-05-08T07:08:09Z"), unit: "week" } }, new Date("2024-05-05T00:00:00Z")],
  [{ $dateTrunc: { date: new Date("2024-05-08T07:08:09Z"), unit: "quarter" } }, new Date("2024-04-01T00:00:00Z")],
  [{ $toDate: "2024-05-06T07:08:09+02:00" }, new Date("2024-05-06T05:08:09Z")],
  [{ $min: [[3, 1, null]] }, 1],
  [
    {
      $setEquals: [
        [1, 2],
        [2, 1, 1],
      ],
    },
    true,
  ],
  [{ $max: [1, 5, null] }, 5],
  ["$a.b", [1, 2]],
];

describe("an expression", () => {
  test.each(table)("%j", (expression, result) => {
    expect(plain(evaluate(expression, { a: [{ b: 1 }, { c: 0 }, { b: 2 }] }))).toEqual(plain(result as Value));
  });

  test("widens the types of numbers as MongoDB does", () => {
    const type = (expression: unknown): string => typeName(evaluate(expression));
    expect(type({ $add: [new Int32(1), new Int32(1)] })).toBe("int");
    expect(type({ $add: [new Int32(2 ** 31 - 1), new Int32(1)] })).toBe("long");
    expect(type({ $multiply: [Long.MAX_VALUE, 2] })).toBe("double");
    expect(type({ $divide: [4, 2] })).toBe("double");
  });

  test.each(["$add", "$subtract", "$multiply", "$divide"])("refuses to compute %s with a decimal", (operator) => {
    const compute = () => evaluate({ [operator]: [new Double(1), Decimal128.fromString("0.1")] });
    expect(compute).toThrow("Arithmetic with decimals is not supported by this store.");
  });

  test.each([
    ["an unknown operator", { $nope: 1 }, 168],
    ["JavaScript", { $function: { body: "x", args: [], lang: "js" } }, 168],
    ["two operators in one", { $add: [1], $subtract: [1, 2] }, 15983],
    ["too many arguments", { $subtract: [1, 2, 3] }, 16020],
    ["division by zero", { $divide: [1, 0] }, 2],
    ["a sum of text", { $add: ["a", 1] }, 14],
    ["text of numbers", { $concat: ["a", 1] }, 16702],
    ["an unknown variable", "$$nope", 17276],
    ["text that is no date", { $toDate: "x" }, 241],
    ["a conversion to another type", { $convert: { input: 1, to: "bool" } }, 2],
    ["an option of a date out of scope", { $dateTrunc: { date: new Date(0), unit: "day", timezone: "UTC" } }, 9],
    ["a part of a date out of scope", { $dateToString: { date: new Date(0), format: "%H" } }, 18536],
    ["a unit of time out of scope", { $dateTrunc: { date: new Date(0), unit: "hour" } }, 9],
    ["$size of a number", { $size: 5 }, 17124],
  ])("is rejected with MongoDB's code: %s", (_, expression, code) => {
    let thrown: unknown;
    try {
      evaluate(expression);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code });
  });
});
