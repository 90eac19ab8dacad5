import { expect, it } from "vitest";
import { readParams, toOutside, toSearch } from "./app-params";

it("an app's values go to the address and come back as they were", () => {
  const params = { region: "North & West", größe: "ü=1", empty: "" };
  expect(readParams(toSearch(params) ?? "")).toEqual(params);
  expect(toSearch({})).toBe("");
});

it.each([
  null,
  "a",
  1,
  { a: 1 },
  { a: null },
  { a: "x".repeat(3000) },
  Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, ""])),
])("what is no set of short texts stays out of it: %j", (params) => {
  expect(toSearch(params)).toBeNull();
});

it.each([
  "javascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "/relative",
  "",
  7,
  "vbscript:x",
  "blob:https://a/b",
])("%s leads nowhere", (href) => {
  expect(toOutside(href)).toBeNull();
});

it.each(["https://example.com/a?b#c", "http://example.com/", "mailto:ana@example.com"])(
  "%s may be followed",
  (href) => {
    expect(toOutside(href)?.href).toBe(href);
  },
);
