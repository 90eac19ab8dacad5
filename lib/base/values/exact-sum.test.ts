import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactSum } from "@/lib/base/values/exact-sum";
import type { CellValue } from "@/lib/base/values/json-rows";

function sum(values: CellValue[]) {
  const total = new ExactSum();
  for (const value of values) total.add(value);
  return total.result();
}

describe("ExactSum", () => {
  it("sums without float errors, skipping nulls", () => {
    expect(sum(["0.10", "0.20", null])).toEqual({ sum: "0.30", average: "0.15", min: "0.10", max: "0.20" });
    expect(sum([0.1, 0.2])).toEqual({ sum: "0.3", average: "0.15", min: "0.1", max: "0.2" });
  });

  it("continues when whole numbers exceed a float", () => {
    const large = Number.MAX_SAFE_INTEGER;
    expect(sum([large, large, 1])?.sum).toBe("18014398509481983");
    expect(sum(["9223372036854775807", 1])?.sum).toBe("9223372036854775808");
  });

  it("averages over all numbers, in any number of batches", () => {
    expect(sum(Array.from({ length: 10_000 }, () => "0.5"))).toEqual({
      sum: "5000.0",
      average: "0.50",
      min: "0.5",
      max: "0.5",
    });
  });

  it("is null without numbers, or with an invalid one", () => {
    expect(sum([null])).toBeNull();
    expect(sum([1, "NaN"])).toBeNull();
  });

  it("of parts equals that of all, in any order", () => {
    const number = fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String));
    fc.assert(
      fc.property(fc.array(number), fc.array(number), (left, right) => {
        const [one, other] = [new ExactSum(), new ExactSum()];
        for (const value of left) one.add(value);
        for (const value of right) other.add(value);
        one.merge(other);
        expect(one.result()).toEqual(sum([...left, ...right]));
        expect(one.count).toBe(left.length + right.length);
      }),
    );
    const broken = new ExactSum();
    broken.add("NaN");
    broken.result();
    const whole = new ExactSum();
    whole.add(1);
    whole.merge(broken);
    expect(whole.result()).toBeNull();
  });
});
