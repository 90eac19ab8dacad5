import { describe, expect, it } from "vitest";
import { toColumnKind } from "@/lib/base/values/column-kind";

describe("toColumnKind", () => {
  it.each([
    ["VARCHAR", "text"], ["uuid", "text"], ["BIGINT", "number"], ["DECIMAL(18,2)", "number"], ["TIMESTAMP WITH TIME ZONE", "time"],
    ["INTERVAL", "time"], ["BOOLEAN", "boolean"], ["STRUCT(a INTEGER)", "json"], ["INTEGER[]", "json"], ["BLOB", "binary"],
    ["geometry", "other"],
  ])("maps %s to %s", (type, kind) => { expect(toColumnKind(type)).toBe(kind); }); // biome-ignore format: a table
});
