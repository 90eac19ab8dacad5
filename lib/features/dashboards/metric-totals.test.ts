import { describe, expect, it } from "vitest";
import { aggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { type MetricGroups, refuseWrongTotals } from "./metric-totals";

const fields = [
  { name: "time", type: "timestamp" as const, dbType: "TIMESTAMP" },
  { name: "rate", type: "float64" as const, dbType: "DOUBLE" },
];
const sums = (dimensions: MetricGroups["dimensions"], spec: object) => () =>
  refuseWrongTotals(
    { dimensions, unsummable: ["rate"] },
    aggregateSpec.parse({ measures: [{ field: "rate", op: "sum" }], ...spec }),
    fields,
    false,
  );

describe("periods", () => {
  it.each([
    ["month", "month"],
    ["month", "day"],
    ["month", undefined],
  ] as const)("of a %s stay apart by %s", (grain, timeUnit) => {
    expect(sums([{ name: "time", grain }], { dimensions: ["time"], timeUnit })).not.toThrow();
  });

  it.each([
    ["day", "month"],
    ["week", "month"],
    [undefined, "day"],
  ] as const)("of a %s are added up by %s", (grain, timeUnit) => {
    const dimensions = [{ name: "time", ...(grain && { grain }) }];
    expect(sums(dimensions, { dimensions: [{ field: "time", timeUnit }] })).toThrow("can't be added up");
    expect(sums(dimensions, { dimensions: ["time"], timeUnit })).toThrow("can't be added up");
  });
});
