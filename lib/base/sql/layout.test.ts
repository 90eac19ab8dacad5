import { format } from "sql-formatter";
import { describe, expect, it } from "vitest";
import { isSameSql, placeInLayout } from "@/lib/base/sql/layout";

describe("isSameSql", () => {
  it("is true for another layout", () => {
    expect(isSameSql("select a,b from t", "select\n  a,\n  b\nfrom\n  t", "postgres")).toBe(true);
    expect(isSameSql("select 1 /* a\n b */", "select\n  1\n  /* a\n     b */", "postgres")).toBe(true);
  });

  it("is false for another text to the database", () => {
    for (const [one, other] of [
      ["select 'a  b'", "select 'a b'"],
      ['select "a"', "select a"],
      ["select a -- x", "select a"],
      ["select a, b", "select b, a"],
      ["select a || b", "select a | | b"],
      ["select 1 -- x\n, 2", "select 1 -- x, 2"],
      ["select {{day}}", "select { {day} }"],
    ] as const) {
      expect(isSameSql(one, other, "postgres"), one).toBe(false);
    }
  });

  it("accepts the formatter's changes to variables and comments", () => {
    const text = "-- days\nselect a,/* why */b from t where day >= {{from}} and day < {{ to }} -- end\norder by 1";
    const formatted = format(text, {
      language: "postgresql",
      paramTypes: { custom: [{ regex: String.raw`\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\}` }] },
    });
    expect(formatted).toContain("{{from}}");
    expect(formatted).toContain("{{ to }}");
    expect(isSameSql(text, formatted, "postgres")).toBe(true);
  });
});

describe("placeInLayout", () => {
  it("keeps the cursor after the same word", () => {
    const [before, after] = ["select a,b from t where x", "select\n  a,\n  b\nfrom\n  t\nwhere\n  x"];
    const at = placeInLayout(before, before.indexOf(" where"), after);
    expect(after.slice(0, at)).toBe("select\n  a,\n  b\nfrom\n  t");
    expect(placeInLayout(before, 0, after)).toBe(0);
    expect(placeInLayout(before, before.length, after)).toBe(after.length);
  });
});
