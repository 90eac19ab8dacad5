import { describe, expect, it } from "vitest";
import { guessKind, parseInputs, toTypedValue } from "@/lib/sql/variables";

describe("a variable's value", () => {
  it("is of its kind, or none", () => {
    expect(toTypedValue({ kind: "number", text: " 12.5 " })).toEqual({ type: "number", value: 12.5 });
    expect(toTypedValue({ kind: "number", text: "twelve" })).toBeNull();
    expect(toTypedValue({ kind: "number", text: "" })).toBeNull();
    expect(toTypedValue({ kind: "boolean", text: "true" })).toEqual({ type: "boolean", value: true });
    expect(toTypedValue({ kind: "date", text: "2026-05-31" })).toEqual({ type: "date", value: "2026-05-31" });
    expect(toTypedValue({ kind: "date", text: "" })).toBeNull();
    expect(toTypedValue({ kind: "text", text: "" })).toEqual({ type: "text", value: "" });
  });

  it("begins with the kind that its name suggests", () => {
    expect(["since", "min_price", "is_paid", "region"].map(guessKind)).toEqual(["date", "number", "boolean", "text"]);
  });

  it("is read back from the browser, without what does not fit", () => {
    const kept = { a: { kind: "text", text: "x" }, b: { kind: "colour", text: "red" }, c: 7 };
    expect(parseInputs(JSON.stringify(kept))).toEqual({ a: kept.a });
    expect(parseInputs("{")).toEqual({});
  });
});
