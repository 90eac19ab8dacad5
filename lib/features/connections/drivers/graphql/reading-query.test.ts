import { expect, test } from "vitest";
import { isReadingQuery } from "./reading-query";

test.each([
  "{ orders { id } }",
  "query { orders { id } }",
  "query Orders($after: String, $size: Int = 10) { orders(after: $after, first: $size) { nodes { id } } }",
  'query { orders(filter: {name: "} mutation {"}) { id } } # mutation { x }',
  'query { orders(text: """ } "quoted" \\""" mutation { """) { id } }',
  "fragment F on Order { id } query { orders { ...F } }",
  "query { orders { ...F } } fragment F on Order { mutation }",
  "query Q @live { orders { id } }",
])("%s is read-only", (text) => {
  expect(isReadingQuery(text)).toBe(true);
});

test.each([
  "mutation { remove(id: 1) { id } }",
  "subscription { orders { id } }",
  "query { a } mutation { b }",
  "query { a } query { b }",
  "mutation M { a } fragment F on B { c }",
  "# query { a }\nmutation { b }",
  '"query { a }" mutation { b }',
  "query { a",
  "query a }",
  'query { a(b: "c) }',
  "",
  "fragment F on Order { id }",
  "extend type A { b: C }",
  "query",
])("%s is not, or can't be parsed", (text) => {
  expect(isReadingQuery(text)).toBe(false);
});

test("a long text takes little time", () => {
  const before = process.threadCpuUsage();
  for (const text of ['"'.repeat(100_000), '"""\\'.repeat(30_000), "{".repeat(100_000), "a ".repeat(50_000)]) {
    expect(isReadingQuery(text)).toBe(false);
  }
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(2000);
});
