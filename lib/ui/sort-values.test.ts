import { describe, expect, it } from "vitest";
import { compareCells } from "@/lib/ui/sort-values";

describe("compareCells", () => {
  it("orders big integers that arrive as text beside small ones that arrive as numbers", () => {
    const field = { name: "n", type: "int64" };
    const values = ["9223372036854775807", 12, -3, "9223372036854775806"];
    expect([...values].sort((a, b) => compareCells(a, b, field))).toEqual([
      -3,
      12,
      "9223372036854775806",
      "9223372036854775807",
    ]);
  });

  it("orders text as people do: digits by value, case aside", () => {
    const field = { name: "sku", type: "string" };
    expect(["b10", "B2", "a"].sort((a, b) => compareCells(a, b, field))).toEqual(["a", "B2", "b10"]);
  });

  it("puts false before true", () => {
    expect(compareCells(false, true, { name: "x", type: "boolean" })).toBeLessThan(0);
  });
});
