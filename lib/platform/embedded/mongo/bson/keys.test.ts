// @module-tag heavy
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyValue } from "../../../../../test/fixtures/embedded/mongo/arbitrary.ts";
import { compareValues } from "./compare.ts";
import { encodeKey } from "./keys.ts";
import { Decimal128, Double, type Value } from "./values.ts";

describe("index keys", () => {
  test("sort by memcmp exactly as BSON sorts the values", () => {
    fc.assert(
      fc.property(anyValue(), anyValue(), (a, b) => {
        expect(Math.sign(Buffer.compare(encodeKey(a), encodeKey(b)))).toBe(Math.sign(compareValues(a, b)));
      }),
      { numRuns: 5000 },
    );
  });

  test("sort in reverse for a descending component", () => {
    fc.assert(
      fc.property(anyValue(), anyValue(), (a, b) => {
        const order = Math.sign(Buffer.compare(encodeKey(a, true), encodeKey(b, true)));
        expect(order + 0).toBe(-Math.sign(compareValues(a, b)) + 0);
      }),
      { numRuns: 2000 },
    );
  });

  test("are never prefixes of each other, so that compound keys are unambiguous", () => {
    fc.assert(
      fc.property(anyValue(), anyValue(), (a, b) => {
        const x = encodeKey(a);
        const y = encodeKey(b);
        if (x.equals(y)) return;
        expect(x.subarray(0, y.length).equals(y)).toBe(false);
        expect(y.subarray(0, x.length).equals(x)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  // The expected order was derived manually from the documented comparison order and exact arithmetic.
  const ascending: Value[][] = [
    [Number.NaN, Decimal128.fromString("NaN")],
    [Number.NEGATIVE_INFINITY, Decimal128.fromString("-Infinity")],
    [Decimal128.fromString("-1E6000")],
    [-Number.MAX_VALUE],
    [-9223372036854775807n],
    [-9007199254740993n],
    [-9007199254740992, -9007199254740992n],
    [-1.5, Decimal128.fromString("-1.5")],
    [Decimal128.fromString("-1E-6000")],
    [0, new Double(0), -0, 0n, Decimal128.fromString("0E+3"), Decimal128.fromString("-0")],
    [Decimal128.fromString("1E-6000")],
    [Number.MIN_VALUE],
    [Decimal128.fromString("0.1")],
    [0.1],
    [1, new Double(1), 1n, Decimal128.fromString("1.00")],
    [9007199254740992, 9007199254740992n],
    [9007199254740993n, Decimal128.fromString("9007199254740993")],
    [Decimal128.fromString("9007199254740993.5")],
    [9007199254740994, 9007199254740994n],
    [9223372036854775807n],
    [2 ** 63],
    [Number.MAX_VALUE],
    [Decimal128.fromString("1E6000")],
    [Number.POSITIVE_INFINITY, Decimal128.fromString("Infinity")],
    ["", ""],
    ["\u0000"],
    ["a"],
    ["a\u0000"],
    ["ab"],
    ["\uffff"],
    ["\u{10000}"],
  ];
  test("sort numbers of all four types by exact value, and text by code point", () => {
    for (let i = 0; i < ascending.length; i++) {
      const alike = (ascending[i] ?? []).map((value) => encodeKey(value).toString("hex"));
      expect(new Set(alike).size).toBe(1);
      for (const later of ascending.slice(i + 1)) {
        for (const value of later) {
          expect(Buffer.compare(encodeKey(ascending[i]?.[0] ?? null), encodeKey(value))).toBe(-1);
          expect(compareValues(ascending[i]?.[0] ?? null, value)).toBeLessThan(0);
        }
      }
    }
  });
});
