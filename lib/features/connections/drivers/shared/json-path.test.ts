import { expect, test } from "vitest";
import { parseJsonPath, readJsonPath } from "./json-path";

const ANSWER = { data: { items: [{ id: 1 }, { id: 2 }], "a.b": "dotted", 'q"': "quoted" }, total: 0, none: null };

test.each([
  ["", ANSWER],
  ["$", ANSWER],
  ["data.items", ANSWER.data.items],
  ["$.data.items[1].id", 2],
  ["data.items.0.id", 1],
  ['data["a.b"]', "dotted"],
  ["data['a.b']", "dotted"],
  ['data["q\\""]', "quoted"],
  ["total", 0],
  ["none", null],
  ["none.deeper", undefined],
  ["data.items.length", undefined],
  ["data.items.map", undefined],
  ["constructor", undefined],
  ["__proto__.x", undefined],
  ["data.items[9]", undefined],
])("%s selects %j", (path, found) => {
  const parsed = parseJsonPath(path);
  expect(parsed).not.toBeNull();
  expect(readJsonPath(ANSWER, parsed ?? [])).toEqual(found);
});

test.each(["a..b", "a.", "a[", "a[x]", "a[-1]", 'a["b', "[]", "x".repeat(501)])("%s is not a path", (path) => {
  expect(parseJsonPath(path)).toBeNull();
});
