import { expect, it } from "vitest";
import { openYaml } from "./read-yaml";

const open = (yaml: string) => openYaml(yaml, { notAMap: "It is no map." });
const nested = (levels: number) => `a:\n  ${"[".repeat(levels)}${"]".repeat(levels)}\n`;

it("reads 100 levels, and any number of brackets beside each other", () => {
  expect(open(nested(100))).toMatchObject({ value: { a: expect.any(Array) } });
  expect(open(`a: [${"[], ".repeat(1_000)}1]\n`)).toMatchObject({ value: { a: expect.any(Array) } });
});

it.each([
  ["lists in brackets", nested(101), 2],
  ["maps in brackets", `a: ${"{b: ".repeat(101)}`, 1],
  ["lists in one line", `a:\n  ${"- ".repeat(100)}1\n`, 2],
  ["a million levels", nested(1_000_000), 2],
])("refuses more levels by %s before they are parsed", (_, yaml, line) => {
  expect(open(yaml)).toEqual({ error: "Invalid YAML: more than 100 levels.", line });
});
