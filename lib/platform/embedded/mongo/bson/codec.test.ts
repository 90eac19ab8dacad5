import { deserialize, serialize } from "bson";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyDoc } from "../../../../../test/fixtures/embedded/mongo/arbitrary.ts";
import { decodeDocument, encodeDocument } from "./codec.ts";
import { type Doc, Double, typeName, type Value } from "./values.ts";

describe("the BSON codec", () => {
  test("returns every document byte for byte", () => {
    fc.assert(
      fc.property(anyDoc(), (doc) => {
        const bytes = encodeDocument(doc);
        expect(encodeDocument(decodeDocument(bytes)).equals(bytes)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("reads the output of the bson package, and writes what it reads", () => {
    const object = { a: 1, b: [1.5, "x", { c: null }], d: new Date(5), e: true, f: 2 ** 40 };
    const bytes = Buffer.from(serialize(object));
    expect(encodeDocument(decodeDocument(bytes)).equals(bytes)).toBe(true);
    expect(deserialize(encodeDocument(decodeDocument(bytes)))).toEqual(object);
  });

  test("keeps the order of numeric field names, and keeps a whole double a double", () => {
    const doc: Doc = new Map<string, Value>([
      ["b", new Double(2)],
      ["1", 1],
      ["0", 2],
      ["__proto__", 3],
    ]);
    const back = decodeDocument(encodeDocument(doc));
    expect([...back.keys()]).toEqual(["b", "1", "0", "__proto__"]);
    expect(typeName(back.get("b"))).toBe("double");
    expect(typeName(back.get("1"))).toBe("int");
  });

  test("skips unwanted fields of every type and reads the next field correctly", () => {
    fc.assert(
      fc.property(anyDoc(), (doc) => {
        const whole: Doc = new Map([...doc, ["wanted", "here"]]);
        const part = decodeDocument(encodeDocument(whole), 0, new Set(["wanted"]));
        expect([...part]).toEqual([["wanted", "here"]]);
      }),
    );
  });

  test("rejects every truncated document instead of reading beyond its end", () => {
    fc.assert(
      fc.property(anyDoc(), fc.nat(), (doc, cut) => {
        const bytes = encodeDocument(doc);
        expect(() => decodeDocument(bytes.subarray(0, cut % bytes.length))).toThrow();
      }),
    );
  });
});
