import { describe, expect, it } from "vitest";
import { toColumnKind, toEngineName } from "@/lib/ui/column-kind";

describe("toColumnKind", () => {
  it.each([
    ["VARCHAR", "text"], ["uuid", "text"], ["BIGINT", "number"], ["DECIMAL(18,2)", "number"], ["TIMESTAMP WITH TIME ZONE", "time"],
    ["INTERVAL", "time"], ["BOOLEAN", "boolean"], ["STRUCT(a INTEGER)", "json"], ["INTEGER[]", "json"], ["BLOB", "binary"],
    ["geometry", "other"],
  ])("takes %s for %s", (type, kind) => { expect(toColumnKind(type)).toBe(kind); }); // biome-ignore format: a table

  it("names engines as people write them, and unknown ones as they are", () => {
    expect(["duckdb", "postgres", "snow"].map(toEngineName)).toEqual(["DuckDB", "PostgreSQL", "snow"]);
  });
});
