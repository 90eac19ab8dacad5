import { describe, expect, it } from "vitest";
import type { CellValue } from "@/lib/tabular/json-rows";
import { ExactSum } from "@/lib/ui/results/exact-sum";

function sum(values: CellValue[]) {
  const total = new ExactSum();
  for (const value of values) total.add(value);
  return total.result();
}

describe("ExactSum", () => {
  it("adds up without a float's errors, nulls passed over", () => {
    expect(sum(["0.10", "0.20", null])).toEqual({ sum: "0.30", average: "0.15" });
    expect(sum([0.1, 0.2])).toEqual({ sum: "0.3", average: "0.15" });
  });

  it("goes on where whole numbers outgrow a float", () => {
    const large = Number.MAX_SAFE_INTEGER;
    expect(sum([large, large, 1])?.sum).toBe("18014398509481983");
    expect(sum(["9223372036854775807", 1])?.sum).toBe("9223372036854775808");
  });

  it("averages over all numbers, however many were bundled on the way", () => {
    expect(sum(Array.from({ length: 10_000 }, () => "0.5"))).toEqual({ sum: "5000.0", average: "0.50" });
  });

  it("is silent when there is nothing to add, or something that is no plain number", () => {
    expect(sum([null])).toBeNull();
    expect(sum([1, "NaN"])).toBeNull();
  });
});
