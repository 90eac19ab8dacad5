// @module-tag heavy
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { turnsOf } from "@/test/processor-time";
import { parseJsonWithTexts } from "./exact-json";
import { parseLargeJson } from "./large-json";

const MIB = 1024 * 1024;
const noRest = async () => {};
const list = (item: string, chars: number) =>
  `[${Array(Math.ceil(chars / (item.length + 1)))
    .fill(item)
    .join(",")}]`;
const LARGE = list('{"a":1,"b":[true,null,"x,]}"]}', MIB);

describe("JSON that is parsed in slices", () => {
  it.each<[name: string, text: string]>([
    ["a list of objects", LARGE],
    ["a list of numbers", list("1", MIB)],
    ["long numbers", list("12345678901234567890", MIB)],
    ["a list in lists", `[[[${LARGE}],1],${LARGE}]`],
    ["an object of lists", `{"a":${LARGE},"b":{"c":${LARGE},"d":1},"e":"f"}`],
    ["many keys", JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`key ${i}`, i])))],
    ["a key twice", `{"a":1,"b":${LARGE},"a":2}`],
    ["__proto__", `{"__proto__":${LARGE},"constructor":1}`],
    ["keys of numbers", `{"10":${LARGE},"2":1}`],
    ["blanks", ` [ ${`{ "a" : 1 } ,\n\t`.repeat(40_000)} 1 ] `],
    ["long texts", JSON.stringify(['\\"]'.repeat(200_000), "x".repeat(MIB)])],
    ["a long key", `{"${"k".repeat(MIB)}":1,"a":${LARGE}}`],
    ["a text", `"${"x".repeat(MIB)}"`],
    ["small", '{"a":[1,2]}'],
    ["deep lists", `${"[".repeat(500)}${LARGE}${"]".repeat(500)}`],
  ])("C2 equals JSON parsed at once: %s", async (_, text) => {
    expect(JSON.stringify(await parseLargeJson(text, noRest))).toBe(JSON.stringify(parseJsonWithTexts(text)));
  });

  it("C2 equals JSON parsed at once, for any content", async () => {
    const filler = `"${"x".repeat(140_000)}"`;
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.json(), async (left, right) => {
        const text = `[${left},{"a":${right},"b":${filler}},${left},[${filler},${right}]]`;
        expect(await parseLargeJson(text, noRest)).toEqual(parseJsonWithTexts(text));
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    "",
    `[${LARGE},]`,
    `[,${LARGE}]`,
    `[${LARGE} ${LARGE}]`,
    `[${LARGE}`,
    `${LARGE}]`,
    `{"a":${LARGE},}`,
    `{"a" ${LARGE}}`,
    `{a:${LARGE}}`,
    `{${LARGE}:1}`,
    `[${LARGE}}`,
    `["a${LARGE.replaceAll('"', "")}`,
    `[${LARGE},1 2]`,
    `[${LARGE},nul]`,
  ])("C2 is rejected if invalid (%#)", async (text) => {
    await expect(parseLargeJson(text, noRest)).rejects.toThrow(SyntaxError);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  it.each<[name: string, text: string]>([
    ["many objects", list('{"a":1}', 15 * MIB)],
    ["many lists", list("[]", 15 * MIB)],
    ["long numbers", list("12345678901234567890", 15 * MIB)],
    ["many small texts", list('"a"', 15 * MIB)],
    ["an object of objects", `{"a":{"b":${list('{"c":{}}', 15 * MIB)}}}`],
    ["deep lists", `${"[".repeat(2 * MIB)}${"]".repeat(2 * MIB)}`],
  ])("C2 takes at most 50 ms of processor time between two yields: %s", async (_, text) => {
    const turns = await turnsOf((rest) => parseLargeJson(text, rest).catch(() => {}));
    expect(turns[3] ?? 0).toBeLessThan(50);
  });
});
