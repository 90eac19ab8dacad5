// @module-tag heavy
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WireValue } from "@/lib/base/values/fields";
import { turnsOf } from "@/test/processor-time";
import { parseLargeCells } from "../shared/wire-values";
import { decoderOf } from "./decode";

const MIB = 1024 * 1024;
const ELEMENTS = { json: 114, text: 25, int4: 23 } as const;
const noRest = async () => {};

const quoted = (text: string) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
const arrayOf = (items: readonly (string | null)[]) =>
  `{${items.map((item) => (item === null ? "NULL" : quoted(item))).join(",")}}`;

/** Decodes an array, including its large cells. */
async function read(text: string, element: keyof typeof ELEMENTS, rest = noRest): Promise<WireValue> {
  const decode = decoderOf(1, (oid) => (oid === 1 ? ({ element: ELEMENTS[element] } as never) : undefined));
  const row = [decode(text)];
  await parseLargeCells([row], rest);
  return row[0] ?? null;
}

describe("an array of PostgreSQL", () => {
  it.each<[text: string, element: keyof typeof ELEMENTS, items: WireValue]>([
    ["{}", "text", []],
    ["{1,NULL,3}", "int4", [1, null, 3]],
    ["{{1,2},{3,4}}", "int4", [[1, 2], [3, 4]]],
    ["[0:1]={1,2}", "int4", [1, 2]],
    ["[-1:0][1:1]={{1},{2}}", "int4", [[1], [2]]],
    ['{"NULL",NULL,"","a,b","{}"}', "text", ["NULL", null, "", "a,b", "{}"]],
    [String.raw`{"c\"d","e\\f","\\\"",plain}`, "text", ['c"d', "e\\f", '\\"', "plain"]],
    [String.raw`{"{\"a\": [1]}",1,"\"x\""}`, "json", [{ a: [1] }, 1, "x"]],
  ])("reads %s of %s", async (text, element, items) => {
    expect(await read(text, element)).toEqual(items);
  }); // biome-ignore format: a value a line

  it("C2 is the same when decoded in slices", async () => {
    const filler = `${'\\"{},'.repeat(60_000)}x`;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(fc.string({ unit: "binary" }))), async (items) => {
        const all = [filler, ...items, filler];
        expect(await read(arrayOf(all), "text")).toEqual(all);
      }),
      { numRuns: 30 },
    );
  });

  it.each<[name: string, text: string, element: keyof typeof ELEMENTS]>([
    ["large JSON", arrayOf([JSON.stringify(Array(400_000).fill({ a: "b" })), "[]"]), "json"],
    ["small JSON", arrayOf(Array(150_000).fill('{"a":"b"}')), "json"],
    ["texts of quotes", arrayOf(Array(2).fill('"\\'.repeat(MIB))), "text"],
    ["numbers", `{${"1,".repeat(2 * MIB)}1}`, "int4"],
  ])("C2 takes at most 50 ms of processor time between two yields: %s", async (_, text, element) => {
    const turns = await turnsOf((rest) => read(text, element, rest));
    expect(turns[3] ?? 0).toBeLessThan(50);
  });
});
