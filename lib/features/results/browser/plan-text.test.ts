import { describe, expect, it } from "vitest";
import { toPlanText } from "@/lib/features/results/browser/plan-text";

describe("toPlanText", () => {
  it("reads a drawing by name, and lines row by row", () => {
    const named = [
      { name: "explain_key", type: "string" },
      { name: "explain_value", type: "string" },
    ];
    expect(toPlanText(named, [{ explain_key: "physical_plan", explain_value: "┌──┐\n└──┘\n" }])).toBe("┌──┐\n└──┘");
    const lines = [{ name: "QUERY PLAN", type: "string" }];
    const rows = [{ "QUERY PLAN": "Seq Scan on t" }, { "QUERY PLAN": "  Filter: (a > 1)" }];
    expect(toPlanText(lines, rows)).toBe("Seq Scan on t\n  Filter: (a > 1)");
  });
});
