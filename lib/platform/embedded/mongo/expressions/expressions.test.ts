import { Decimal128, Double, Int32, Long } from "bson";
import { describe, expect, test } from "vitest";
import { evaluate } from "../../../../../test/fixtures/embedded/mongo/evaluate.ts";
import { plain } from "../../../../../test/fixtures/embedded/mongo/plain.ts";
import { typeName, type Value } from "../bson/values.ts";

/** Expression and result. The results come from the examples of MongoDB's manual or were worked out manually. */
const table: [unknown, unknown][] = [
  [{ $add: [1, 2.5] }, 3.5],
  [{ $add: [new Date(1000), 500] }, new Date(1500)],
  [{ $add: [1, null] }, null],
  [{ $subtract: [new Date(2000), new Date(500)] }, 1500n],
  [{ $slice: [[1, 2, 3], -2] }, [2, 3]],
  [{ $concatArrays: [[1], [2, 3]] }, [1, 2, 3]],
  [{ $filter: { input: [1, 2, 3, 4], as: "n", cond: { $gt: ["$$n", 2] } } }, [3, 4]],
  [{ $map: { input: [1, 2], in: { $multiply: ["$$this", 10] } } }, [10, 20]],
  [{ $in: [2, [1, 2]] }, true],
  [{ $mergeObjects: [{ a: 1, b: 1 }, null, { b: 2 }] }, { a: 1, b: 2 }],
  [{ $setField: { field: "x", input: { a: 1 }, value: 2 } }, { a: 1, x: 2 }],
  [{ $cond: [true, 1, 2] }, 1],
  [{ $ifNull: [null, "$missing", 5] }, 5],
  [{ $eq: [null, "$missing"] }, false],
  [{ $lt: ["$missing", null] }, true],
  [{ $and: [1, "x", []] }, true],
  [{ $not: [0] }, true],
  [{ $type: "$missing" }, "missing"],
  [{ $min: [[3, 1, null]] }, 1],
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
  });

  test.each(["$add", "$subtract", "$multiply"])("refuses to compute %s with a decimal", (operator) => {
    const compute = () => evaluate({ [operator]: [new Double(1), Decimal128.fromString("0.1")] });
    expect(compute).toThrow("Arithmetic with decimals is not supported by this store.");
  });

  test.each([
    ["an unknown operator", { $nope: 1 }, 168],
    ["JavaScript", { $function: { body: "x", args: [], lang: "js" } }, 168],
    ["two operators in one", { $add: [1], $subtract: [1, 2] }, 15983],
    ["too many arguments", { $subtract: [1, 2, 3] }, 16020],
    ["a sum of text", { $add: ["a", 1] }, 14],
    ["an unknown variable", "$$nope", 17276],
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
