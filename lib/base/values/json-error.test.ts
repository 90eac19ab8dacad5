import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonErrorPlace, jsonLineOf } from "./json-error";

it.each([
  ["", 1, 1],
  ['{\n  "a": 1,\n  oops\n}', 3, 3],
  ['{\n  "a": 1,\n}', 3, 1],
  ['{"a": [1, 2}', 1, 12],
  ['{"a": 1\n"b": 2}', 2, 1],
  ['{"a" 1}', 1, 6],
  ['"a\nb"', 1, 3],
  ['["\\x"]', 1, 3],
  ["[01]", 1, 2],
  ["[1] 2", 1, 5],
])("finds the error of %j", (text, line, column) => {
  expect(jsonErrorPlace(text)).toEqual({ line, column });
});

it("finds the error of a deep and of a long text", () => {
  expect(jsonErrorPlace("[".repeat(100_000))).toEqual({ line: 1, column: 100_001 });
  expect(jsonErrorPlace(`"${"x".repeat(1_000_000)}`)).toEqual({ line: 1, column: 1_000_002 });
});

it("finds none in JSON, and one in everything else, as JSON.parse does", () => {
  const text = ' {"a\\u00e9": [0, -1.5e+3, true, null, {}, [], "x\\n"],\t"b": {"c": ""}}\r\n';
  const inserted = ["", ",", "}", "]", '"', "0", "-", ".", "e", ":", "\\", "\n", "\u00a0", "x", "{"];
  for (let at = 0; at <= text.length; at++) {
    for (const extra of inserted) {
      for (const removed of [0, 1, 2]) {
        const changed = text.slice(0, at) + extra + text.slice(at + removed);
        expect([changed, jsonErrorPlace(changed) === null]).toEqual([changed, isJson(changed)]);
      }
    }
  }
});

it("finds none in any JSON, and agrees with JSON.parse on any text", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(4), (text, space) => {
      expect(jsonErrorPlace(text)).toBeNull();
      expect(jsonErrorPlace(JSON.stringify(JSON.parse(text), null, space))).toBeNull();
    }),
  );
  const pieces = fc.array(fc.constantFrom("{", "}", "[", "]", ",", ":", '"a"', "1", "true", " ", "x"), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join("");
      expect(jsonErrorPlace(text) === null, text).toBe(isJson(text));
    }),
    { numRuns: 3000 },
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

it.each([
  ["", 1],
  ["title", 2],
  ["widgets", 3],
  ["widgets.0", 4],
  ["widgets.0.tab", 4],
  ["widgets.1.tab", 6],
  // The path of a missing value, and of one below a text.
  ["widgets.1.kind", 5],
  ["widgets.1.tab.0", 6],
  ["filters.0", 1],
  ["twice", 10],
])("finds the line of %s", (path, line) => {
  const text = `{
  "title": "a , \\" {",
  "widgets": [
    { "id": "a", "tab": 1 },
    { "id": "[",
      "tab": {}
    }
  ],
  "twice": 1,
  "twice": [1, 2] }`;
  expect(jsonLineOf(text, path)).toBe(line);
});
