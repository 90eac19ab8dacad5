import { describe, expect, it } from "vitest";
import { toCombinedParts, toPartPrefix } from "./grouped-parts";

describe("the tables of grouped parts", () => {
  it.each([
    [[], "m"],
    [["orders", "months", "m1a"], "m"],
    [["m"], "m_"],
    [["M1", "orders"], "m_"],
    [["m2", "m_", "M__12"], "m___"],
  ])("beside the tables %j start with %s", (tables, prefix) => {
    expect(toPartPrefix(tables)).toBe(prefix);
  });

  it("are read by their numbers", () => {
    const parts = [{ columns: [{ name: "a1", isCount: true }] }, { columns: [{ name: "a2", isCount: false }] }];
    const sql = toCombinedParts(parts, ["d1"], "m_");
    expect(sql.match(/from m_\d/g)).toEqual(["from m_2", "from m_1", "from m_1", "from m_2"]);
  });
});
