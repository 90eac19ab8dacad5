import { expect, it } from "vitest";
import { findLines } from "./find-lines";

it("finds every line with the whole text, ignoring case, and counts those beyond the limit", () => {
  const text = "select Total\n-- nothing\n  sum(total) as TOTAL\ntotal";
  expect(findLines(text, "total", 2)).toEqual({
    lines: [
      { line: 1, text: "select Total" },
      { line: 3, text: "sum(total) as TOTAL" },
    ],
    count: 3,
  });
});

it("falls back to single words only if the whole is nowhere", () => {
  expect(findLines("group by x\nby group", "group by", 5).lines).toEqual([{ line: 1, text: "group by x" }]);
  expect(findLines("group x\nby y\nz", "group by", 5).lines.map(({ line }) => line)).toEqual([1, 2]);
});

it("cuts long lines around the match, and finds nothing for an empty text", () => {
  const { lines } = findLines(`${"a".repeat(5000)}needle${"b".repeat(5000)}`, "needle", 5);
  expect(lines[0]?.text).toHaveLength(160);
  expect(lines[0]?.text.indexOf("needle")).toBe(40);
  expect(findLines("abc", "  ", 5)).toEqual({ lines: [], count: 0 });
  expect(findLines("abc", "x", 5)).toEqual({ lines: [], count: 0 });
});
