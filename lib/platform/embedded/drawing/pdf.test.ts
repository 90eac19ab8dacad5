import { inflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { toPdf } from "./pdf";

/** Two pixels wide and three high, with an irrelevant alpha byte. */
const PIXELS = { width: 2, height: 3, rgba: Uint8Array.from({ length: 24 }, (_, at) => at) };

it("writes a file whose table finds every object, and whose sheets have the rows of the picture", () => {
  const pdf = toPdf("Café (1)\\ \u{1F9AB}", PIXELS, [2, 3]);
  const text = pdf.toString("latin1");
  expect(text).toMatch(/^%PDF-1\.4\n.*\n%%EOF\n$/s);
  const table = Number(/startxref\n(\d+)\n/.exec(text)?.[1]);
  expect(text.slice(table, table + 5)).toBe("xref\n");
  const places = [...text.slice(table).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, place]) => Number(place));
  expect(places.map((place, at) => text.slice(place).startsWith(`${at + 1} 0 obj\n`))).not.toContain(false);
  expect(text).toContain(`/Size ${places.length + 1} `);
  // The title is in UTF-16, so that brackets in it do not end the string.
  expect(text).toContain("/Title <FEFF00430061006600E9002000280031");
  const pictures = [...text.matchAll(/\/Width 2 \/Height (\d) [^>]*\/Length (\d+) >>\nstream\n/g)].map((found) => {
    const from = found.index + found[0].length;
    return [...inflateSync(pdf.subarray(from, from + Number(found[2])))];
  });
  expect(pictures).toEqual([
    [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14],
    [16, 17, 18, 20, 21, 22],
  ]);
  expect([...text.matchAll(/\/MediaBox \[0 0 595\.28 ([\d.]+)\]/g)].map(([, height]) => height)).toEqual([
    "595.28",
    "297.64",
  ]);
  expect(text).toContain("/Count 2 ");
});
