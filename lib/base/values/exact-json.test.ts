import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber, isRounded, mayRound, parseExactJson, parseJsonWithTexts } from "./exact-json";

type Context = { source?: string };

/** Returns the result of JSON.parse with a reviver for each value. */
function byReviver(text: string, keep: (source: string) => unknown): unknown {
  const revive = (_: string, value: unknown, { source }: Context = {}) =>
    typeof value === "number" && source !== undefined && isRounded(source, value) ? keep(source) : value;
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]);
}

describe("parseExactJson", () => {
  it.each([
    "9007199254740993", "-9007199254740993", "9223372036854775807", "18446744073709551615", "12345678901234567890.123456789",
    "0.12345678901234567", "1e400", "-1E+999", "1e-400", "123456789012345678901234567890", "1.00000000000000000001", "9007199254740992", "4.9e-324",
  ])("C11 C15 keeps %s as its text, and writes it unchanged", (text) => {
    const value = parseExactJson(text);
    expect(value).toBeInstanceOf(ExactNumber);
    expect([String(value), JSON.stringify(value), JSON.stringify({ a: [value] })]).toEqual([text, text, `{"a":[${text}]}`]);
    expect(parseExactJson(`{"a":[${text}]}`, (source) => source)).toEqual({ a: [text] });
  }); // biome-ignore format: lists

  it.each([
    "0", "-0", "1", "1.5", "1.50", "1.0000000000000000", "100000000000000e3", "9007199254740991", "-9007199254740991", "0.1", "0.30", "1e21", "1E5", "5e-324",
    "1.7976931348623157e308", "0.000000000000000000001", "123456789012345",
  ])("C11 C15 returns %s as that number", (text) => {
    expect(parseExactJson(text)).toBe(JSON.parse(text));
  }); // biome-ignore format: lists

  it("C11 ignores digits in texts and names", () => {
    const text = '{"12345678901234567890":"12345678901234567890.5"}';
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });

  it("C11 skips the slower parser without long numbers", () => {
    expect(["[1,2.5,1e5]", '{"a":"b"}', "123456789012345"].map(mayRound)).toEqual([false, false, false]);
    expect(() => parseExactJson("{12345678901234567890")).toThrow(SyntaxError);
  });

  it("C2 converts each long number by the given function", () => {
    const read = parseExactJson('{"a":[1,12345678901234567890,"x"]}', (source) => ({ source }));
    expect(read).toEqual({ a: [1, { source: "12345678901234567890" }, "x"] });
  });
});

describe("JSON whose long numbers become texts", () => {
  const slow = (text: string) => byReviver(text, (source) => source);
  it.each([
    "12345678901234567890",
    "-12345678901234567890.5",
    "[1, 9007199254740993, 2]",
    '{"12345678901234567890": 12345678901234567890}',
    '["12345678901234567890", "\\"12345678901234567890", 1e400]',
    '["\\\\", 12345678901234567890, "\\\\\\"", 0.1234567890123456789]',
    "[1e5, 1e999, -1E-999, 1.0000000000000000, 0.30000000000000004]",
    "[1234567890123456e3,123456789012345678901234567890]",
    '{"a":{"b":[[12345678901234567890]]},"c":null}',
    " [ 12345678901234567890 ] ",
  ])("C2 are read as by a reviver: %s", (text) => expect(parseJsonWithTexts(text)).toEqual(slow(text)));

  it("C2 are read as by a reviver, for any value", () => {
    // Without exponents: with a reviver, the form of 1.5e+43 depends on the other numbers.
    const number = fc
      .oneof(
        fc.bigInt(),
        fc.integer(),
        fc.integer().map((each) => each / 8),
      )
      .map(String);
    const text = fc.string().map((each) => JSON.stringify(each));
    const value = fc.array(
      fc.oneof(
        number,
        text,
        fc.tuple(text, number).map(([key, each]) => `{${key}:[${each}]}`),
      ),
    );
    fc.assert(
      fc.property(value, (items) => {
        const text = `[${items.join(",")}]`;
        expect(parseJsonWithTexts(text)).toEqual(slow(text));
      }),
    );
  });

  it.each(["1234567890123456.", "12345678901234567890.1.2", '["12345678901234567890', "12345678901234567890x"])(
    "C2 are rejected for invalid JSON: %s",
    (text) => expect(() => parseJsonWithTexts(text)).toThrow(SyntaxError),
  );
});

describe("large JSON whose long numbers stay exact", () => {
  it.each([
    "12345678901234567890",
    "-12345678901234567890.5",
    "1e400",
    "[1e400,-1E+999,1e-400]",
    "[1, 9007199254740993, 2]",
    '{"12345678901234567890": 12345678901234567890}',
    '{"a":"12345678901234567890","b":12345678901234567890,"c":"\\"12345678901234567890"}',
    '{"__proto__":12345678901234567890,"constructor":{"__proto__":{"a":1e400}}}',
    '{"a":{"b":[[12345678901234567890]]},"c":null}',
    '{"a":1,"a":12345678901234567890,"a":12345678901234567891}',
    "[1.0000000000000000,0.12345678901234567]",
    '["1234567890123456"]',
    "[]",
  ])("C2 is read as by a reviver: %s", (text) => {
    const read = parseExactJson(text);
    const revived = byReviver(text, (source) => new ExactNumber(source));
    expect(read).toEqual(revived);
    expect(JSON.stringify(read)).toBe(JSON.stringify(revived));
  });

  it.each([
    "01234567890123456789",
    "[01234567890123456789]",
    "12345678901234567890x",
    "[12345678901234567890.]",
    "[-]",
  ])("C2 is rejected for invalid JSON: %s", (text) => expect(() => parseExactJson(text)).toThrow(SyntaxError));

  it("C2 has no depth limit", () => {
    const depth = 100_000;
    let read = parseExactJson(`${"[".repeat(depth)}12345678901234567890${"]".repeat(depth)}`);
    for (let level = 0; level < depth; level += 1) [read] = read as unknown[];
    expect(String(read)).toBe("12345678901234567890");
  });
});
