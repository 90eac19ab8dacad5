import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findJsonFault } from "./json-place";

describe("the position where a text stops being JSON", () => {
  it.each([
    ["", 0],
    ["  ", 2],
    ["{", 1],
    ['{"a": 1,}', 8],
    ['{"a" 1}', 5],
    ["{a: 1}", 1],
    ['{"a": bar}', 6],
    ["[1 2]", 3],
    ["[1,]", 3],
    ["[1}", 2],
    ["1 x", 2],
    ['"open', 0],
    ["01", 1],
  ])("%j: %i", (text, place) => {
    expect(findJsonFault(text)).toBe(place);
    expect(() => JSON.parse(text)).toThrow();
  });

  it("is null in JSON, and set in all else", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(4), (text, space) => {
        expect(findJsonFault(text)).toBeNull();
        expect(findJsonFault(JSON.stringify(JSON.parse(text), null, space))).toBeNull();
      }),
    );
    const pieces = fc.array(fc.constantFrom("{", "}", "[", "]", ",", ":", '"a"', "1", "true", " ", "x"), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join("");
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect(findJsonFault(text) === null, text).toBe(isJson);
      }),
      { numRuns: 3000 },
    );
  });
});
