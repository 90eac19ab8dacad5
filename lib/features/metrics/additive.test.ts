import { describe, expect, it } from "vitest";
import { modelText } from "@/test/fixtures/metrics/metric-files";
import { isAdditive } from "./additive";
import { parseMetricFile } from "./file";

function judge(expression: string): boolean | null {
  const parsed = parseMetricFile(modelText({ metric: "m", expression }));
  if ("problems" in parsed) return null;
  const [model] = parsed.models;
  const [metric] = model?.metrics ?? [];
  return model && metric ? isAdditive(model, metric) : null;
}

describe("the values of groups", () => {
  it.each([
    ...["COUNT(*)", "SUM(orders.id)", "-SUM(orders.id)", "SUM(orders.id) - COUNT(orders.id)", "SUM(orders.id) / 100"],
    ...["COALESCE(SUM(orders.id), 0)", "CAST(SUM(orders.id) AS float)", "SUM(CASE WHEN orders.id > 1 THEN 1 END)"],
  ])("add up for %s", (expression) => expect(judge(expression)).toBe(true));

  it.each([
    ...["AVG(orders.id)", "COUNT(DISTINCT orders.id)", "SUM(DISTINCT orders.id)", "MAX(orders.id)"],
    ...[
      "SUM(orders.id) / COUNT(orders.id)",
      "SUM(orders.id) + 1",
      "100 / SUM(orders.id)",
      "COALESCE(SUM(orders.id), 1)",
    ],
  ])("do not add up for %s", (expression) => expect(judge(expression)).toBe(false));
});
