import { describe, expect, it } from "vitest";
import { DATE_PRESETS, PRESET_WORDS } from "@/lib/base/values/date-presets";
import { toDefaultText, toFilterDefault } from "./filter-default";

describe("the default of a filter", () => {
  it.each([
    ["select", "north", "north"],
    ["multiSelect", "north, south", ["north", "south"]],
    ["search", "a, b", "a, b"],
    ["multiSelect", " , ", null],
    ["select", "", null],
  ] as const)("of %s is typed as %j", (kind, text, value) => {
    expect(toFilterDefault(kind, text)).toEqual(value);
    if (value !== null) expect(toDefaultText(value)).toBe(text);
  });
  it("is a number or boolean if the rows have such values", () => {
    expect(toFilterDefault("multiSelect", "1, 2", "int32")).toEqual([1, 2]);
    expect(toFilterDefault("select", "1.", "float64")).toBe("1.");
    expect(toFilterDefault("select", "9007199254740993", "int64")).toBe("9007199254740993");
    expect(toFilterDefault("select", "10.50", "decimal")).toBe("10.50");
    expect(toFilterDefault("select", "true", "boolean")).toBe(true);
    expect(toFilterDefault("search", "1", "int32")).toBe("1");
  });
  it("can be continued after a trailing comma", () => {
    expect(toDefaultText(toFilterDefault("multiSelect", "north,"))).toBe("north, ");
  });
  it("is a named range, of every range that the server knows", () => {
    expect(toDefaultText({ from: "2026-01-01", to: "2026-02-01" })).toBe("2026-01-01 to 2026-02-01");
    expect(toDefaultText({ to: "2026-02-01" })).toBe("To 2026-02-01");
    expect(Object.keys(PRESET_WORDS)).toEqual([...DATE_PRESETS]);
  });
});
