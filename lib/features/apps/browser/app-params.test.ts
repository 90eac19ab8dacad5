import { expect, it } from "vitest";
import { readParams, toOutside, toSearch } from "./app-params";

it("puts an app's values into the URL and reads them back", () => {
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
])("drops what is not a set of short texts: %j", (params) => {
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
])("%s can't be followed", (href) => {
  expect(toOutside(href)).toBeNull();
});

it.each(["https://example.com/a?b#c", "http://example.com/", "mailto:ana@example.com"])(
  "%s can be followed",
  (href) => {
    expect(toOutside(href)?.href).toBe(href);
  },
);
