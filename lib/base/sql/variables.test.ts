import { describe, expect, it } from "vitest";
import {
  fromAddress,
  guessKind,
  parseInputs,
  type TypedValue,
  toInput,
  toShort,
  toTypedValue,
  type VariableInput,
} from "@/lib/base/sql/variables";

it.each<[string | number | boolean | TypedValue, VariableInput["kind"], string]>([
  ["it's", "text", "it's"],
  [41, "number", "41"],
  [false, "boolean", "false"],
  [{ type: "number", value: "9007199254740993" }, "number", "9007199254740993"],
  [{ type: "date", value: "2026-05-31" }, "date", "2026-05-31"],
  [{ type: "date", preset: "last7Days" }, "date", "last7Days"],
  [{ type: "date", preset: "thisMonth", edge: "end" }, "date", "thisMonth/end"],
])("shows the default value %j in an input, and returns it from there", (value, kind, text) => {
  expect(toInput(value)).toEqual({ kind, text });
  expect(toShort(toTypedValue(toInput(value)) as TypedValue)).toEqual(value);
});

describe("a variable's value", () => {
  it("has its type, or is null", () => {
    expect(toTypedValue({ kind: "number", text: " 12.5 " })).toEqual({ type: "number", value: 12.5 });
    expect(toTypedValue({ kind: "number", text: "twelve" })).toBeNull();
    expect(toTypedValue({ kind: "number", text: "" })).toBeNull();
    expect(toTypedValue({ kind: "boolean", text: "true" })).toEqual({ type: "boolean", value: true });
    expect(toTypedValue({ kind: "date", text: "2026-05-31" })).toEqual({ type: "date", value: "2026-05-31" });
    expect(toTypedValue({ kind: "date", text: "2028-02-29" })).toEqual({ type: "date", value: "2028-02-29" });
    for (const text of ["", "2026-5-31", "2026-02-29", "2026-13-01", "2026-05-31T00:00"]) {
      expect(toTypedValue({ kind: "date", text })).toBeNull();
    }
    expect(toTypedValue({ kind: "text", text: "" })).toEqual({ type: "text", value: "" });
  });

  it.each([
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", "9007199254740993"],
    ["-9223372036854775808", "-9223372036854775808"],
    ["18446744073709551615", "18446744073709551615"],
    ["12345678901234567890.123456789", "12345678901234567890.123456789"],
    ["0.1", 0.1],
    ["1e3", 1000],
    ["1e400", null],
    ["0x10", 16],
  ])("C15 keeps the digits of %s", (text, value) => {
    expect(toTypedValue({ kind: "number", text })).toEqual(value === null ? null : { type: "number", value });
  });

  it("is read from an address, as text where it does not fit the type", () => {
    expect(fromAddress("12", "number")).toEqual({ kind: "number", text: "12" });
    expect(fromAddress("paid", "number")).toEqual({ kind: "text", text: "paid" });
    expect(fromAddress("", "date")).toEqual({ kind: "date", text: "" });
    expect(fromAddress("yes", "boolean")).toEqual({ kind: "text", text: "yes" });
  });

  it("starts with the type that its name suggests", () => {
    expect(["since", "min_price", "is_paid", "region"].map(guessKind)).toEqual(["date", "number", "boolean", "text"]);
  });

  it("is restored from the browser, without invalid values", () => {
    const kept = { a: { kind: "text", text: "x" }, b: { kind: "colour", text: "red" }, c: 7 };
    expect(parseInputs(JSON.stringify(kept))).toEqual({ a: kept.a });
    expect(parseInputs("{")).toEqual({});
  });
});
