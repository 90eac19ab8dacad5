import { BSONRegExp, Decimal128, Int32, Long, MaxKey, ObjectId, UUID } from "mongodb";
import { expect, test } from "vitest";
import { ShellSyntaxError } from "@/lib/base/mongo-shell/lexer";
import { parseShell } from "./parser";

const argumentOf = (text: string) => parseShell(`db.a.find(${text})`).calls[0]?.args[0];

test("accepts a collection by dot, brackets or getCollection", () => {
  expect(parseShell("db.a.b.find()").collection).toBe("a.b");
  expect(parseShell("db['a-b'].find()").collection).toBe("a-b");
  expect(parseShell('db.getCollection("a b").find();').collection).toBe("a b");
});

test("reads chained calls in order, with comments anywhere", () => {
  const { calls } = parseShell("db.a /* x */ .find({}) // y\n  .sort({ b: -1, }).limit(5)");
  expect(calls.map(({ name, args }) => [name, args])).toEqual([
    ["find", [{}]],
    ["sort", [{ b: -1 }]],
    ["limit", [5]],
  ]);
});

test.each<[string, unknown]>([
  ["{a: 1, 'b': 2, \"c.d\": 3, 4: 5}", { 4: 5, a: 1, b: 2, "c.d": 3 }],
  ["[1, -2, +3, .5, 1e3, 0xff, 1_000]", [1, -2, 3, 0.5, 1000, 255, 1000]],
  ["[true, false, null, undefined]", [true, false, null, null]],
  ["'a\\'b\\n\\u00e4\\x41\\u{1F600}'", "a'b\näA\u{1F600}"],
  ["`a\nb`", "a\nb"],
  ["60 * 60 * (24 - 1) / 2", 41_400],
  ["NaN", Number.NaN],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["12n", Long.fromString("12")],
  ["NumberLong('9007199254740993')", Long.fromString("9007199254740993")],
  ["NumberInt(5)", new Int32(5)],
  ["NumberDecimal('1.50')", Decimal128.fromString("1.50")],
  ["ObjectId('0123456789abcdef01234567')", new ObjectId("0123456789abcdef01234567")],
  ["UUID('01234567-89ab-4def-8123-456789abcdef')", new UUID("01234567-89ab-4def-8123-456789abcdef")],
  ["MaxKey", new MaxKey()],
  ["ISODate('2026-10-31')", new Date("2026-10-31T00:00:00Z")],
  ["ISODate('2026-10-31T12:00:00')", new Date("2026-10-31T12:00:00Z")],
  ["new Date(0)", new Date(0)],
  ["new Date(2026, 9, 31)", new Date(Date.UTC(2026, 9, 31))],
  ["/a[/]b\\/c/gi", new BSONRegExp("a[/]b\\/c", "i")],
])("%s is read", (text, value) => {
  expect(argumentOf(text)).toEqual(value);
});

test("treats __proto__ as an ordinary key that changes no object", () => {
  const value = argumentOf("{__proto__: {isAdmin: true}}") as object;
  expect(Object.keys(value)).toEqual(["__proto__"]);
  expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
});

test.each([
  ["db.a.find(process.exit())", 10],
  ["db.a.find(function() {})", 10],
  ["db.a.find(() => 1)", 11],
  [["db.a.find(`$", "{1}`)"].join(""), 11],
  ["db.a.find({a: 1", 15],
  ["db.a.find('abc)", 10],
  ["db.a.find({a: /b})", 14],
  ["db.a.find(eval('1'))", 10],
  ["db.a.find(constructor)", 10],
  ["db.a.find(toString())", 10],
  ["db.a.find(__proto__())", 10],
  ["db.a.find(1 + 'a')", 12],
  ["db.a.find(ObjectId('x'))", 10],
  ["db.a.find({}) db.b.find({})", 14],
  ["db.a.find({}); db.b.find({})", 15],
  ["db.a", 4],
  ["db", 2],
  ["", 0],
  ["/* no end", 0],
])("T59 %s is rejected at its position", (text, offset) => {
  const error = (() => {
    try {
      return parseShell(text);
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toBeInstanceOf(ShellSyntaxError);
  expect((error as ShellSyntaxError).offset).toBe(offset);
});

test("T57 rejects values nested thousands deep without recursion", () => {
  expect(() => parseShell(`db.a.find(${"[".repeat(100_000)}`)).toThrow(ShellSyntaxError);
  expect(() => parseShell(`db.a.find(${"-".repeat(100_000)}1)`)).toThrow(ShellSyntaxError);
});
