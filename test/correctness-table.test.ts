import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const ITEMS = 50;
const page = readFileSync(new URL("../docs/develop/correctness.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| C(\d+) \| (.+) \| (.+) \|$/gm)].map(([, item, guarantee, tests]) => ({
  item: Number(item),
  guarantee,
  files: [...(tests ?? "").matchAll(/`([^`]+)`/g)].map(([, file]) => file ?? ""),
}));

it("has each guarantee once, in order", () => {
  expect(rows.map(({ item }) => item)).toEqual(Array.from({ length: ITEMS }, (_, index) => index + 1));
});

/** Matches a quoted title with the item's number. A comment names no test. */
const titleOf = (item: number) => new RegExp(`^(?!\\s*(?://|\\*|/\\*)).*["'\`](?:[^"'\`\n]*[^\\S\n])?C${item}\\b`, "m");

it.each(rows)("C$item has tests that name it in a title", ({ item, files }) => {
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
    expect([file, titleOf(item).test(text)]).toEqual([file, true]);
  }
});
