// @module-tag heavy
import { execFileSync, spawnSync } from "node:child_process";
import { readXlsx } from "hucre/xlsx";
import { expect, it } from "vitest";
import type { Batch, Field, FieldType, WireValue } from "@/lib/base/values/fields";
import { byteStream } from "./byte-stream";
import { xlsx } from "./xlsx";

async function* iterate(batches: Iterable<Batch>): AsyncGenerator<Batch> {
  yield* batches;
}

const fieldOf = (name: string, type: FieldType, dbType = type): Field => ({ name, type, dbType });

async function write(fields: Field[], batches: Iterable<Batch>, limit: number | null = null): Promise<Uint8Array> {
  return new Response(byteStream(iterate(batches), xlsx(fields), limit, () => undefined)).bytes();
}

/** Returns the only cell below the header, as a reader of workbooks finds it. */
async function cellOf(type: FieldType, value: WireValue, dbType?: string): Promise<unknown> {
  const field = { ...fieldOf("c", type), ...(dbType && { dbType }) };
  const { sheets } = await readXlsx(await write([field], [{ rowCount: 1, columns: [[value]] }]));
  return sheets[0]?.rows[1]?.[0] ?? null;
}

it.each([
  ["int32", -7, -7],
  ["int64", 999_999_999_999_999, 999_999_999_999_999],
  ["int64", 9_007_199_254_740_991, "9007199254740991"],
  ["int64", "9223372036854775807", "9223372036854775807"],
  ["decimal", "10.20", 10.2],
  ["decimal", "-0.0000001", -0.000_000_1],
  ["decimal", "1234567890.1234567", "1234567890.1234567"],
  ["float64", 1.5e300, 1.5e300],
  ["float64", "NaN", "NaN"],
  ["boolean", false, false],
  ["string", "=1+1", "=1+1"],
  ["string", " two  spaces ", " two  spaces "],
  ["string", "a\nb\t<&>\"'🎉", "a\nb\t<&>\"'🎉"],
  ["string", "", ""],
  ["json", { a: [1, null] }, '{"a":[1,null]}'],
  ["date", "2026-11-22", new Date("2026-11-22")],
  ["date", "1900-02-28", "1900-02-28"],
  ["date", "0000-00-00", "0000-00-00"],
  ["date", "infinity", "infinity"],
  ["timestamp", "2026-11-22T10:30:00.5", new Date("2026-11-22T10:30:00.500Z")],
  ["timestamptz", "2026-11-22T10:30:00+02:00", new Date("2026-11-22T08:30:00Z")],
  ["timestamp", "2026-11-22T10:30:00.000000001", "2026-11-22T10:30:00.000000001"],
  ["time", "12:00", new Date("1899-12-31T12:00:00Z")],
  ["time", "25:00:00", "25:00:00"],
  ["time", "23:59:59.999999", "23:59:59.999999"],
  ["time", "12:00:00.5000", new Date("1899-12-31T12:00:00.500Z")],
  ["binary", "/wA=", "/wA="],
] as [FieldType, WireValue, unknown][])("%s %j is read as %j", async (type, value, found) => {
  expect(await cellOf(type, value)).toEqual(found);
});

it("null is an empty cell, and instants are marked as UTC", async () => {
  const fields = [fieldOf("n", "int32"), fieldOf("at", "timestamptz")];
  const { sheets } = await readXlsx(await write(fields, [{ rowCount: 1, columns: [[null], [null]] }]));
  expect(sheets[0]?.rows[0]).toEqual(["n", "at (UTC)"]);
  expect((sheets[0]?.rows[1] ?? []).every((cell) => cell === null)).toBe(true);
});

it("characters invalid in XML survive a round trip", async () => {
  expect(await cellOf("string", "a\u0000b\u0008c\ufffe_x0041_")).toBe("a\u0000b\u0008c\ufffe_x0041_");
});

/** Python's expat rejects XML that is not well-formed; the names of the file's parts follow. */
const PARSE = `
import io, sys, zipfile, xml.dom.minidom
file = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
for name in file.namelist(): xml.dom.minidom.parseString(file.read(name))
print(len(file.namelist()))`;

const TEXTS: [what: string, text: string][] = [
  ["U+FFFE", "a\ufffeb"],
  ["U+FFFF", "\uffff"],
  ["every control character", String.fromCharCode(...Array.from({ length: 32 }, (_, code) => code))],
  ["a carriage return", "a\rb\r\nc"],
  ["a lone high surrogate", "a\ud83db"],
  ["a lone low surrogate", "\ude00"],
  ["surrogates in the wrong order", "\ude00\ud83d"],
  ["a pair", "\u{1f389}"],
  ["noncharacters that XML has", "\ufdd0\u{1fffe}\u{10ffff}"],
  ["delete and C1 controls", "\u007f\u0085\u009f"],
  ["what looks like a code", "_x0041_ _xFFFE_ _x005F_"],
  ["markup", "<a b='\"'>&amp;]]>"],
  ["spaces at both ends", "  \t\na \n"],
  ["a formula", "=1+1"],
];

it.skipIf(spawnSync("which", ["python3"]).status !== 0)("C17 a sheet is well-formed XML with any content", async () => {
  const fields = TEXTS.map(([, text]) => fieldOf(text, "string"));
  const bytes = await write(fields, [{ rowCount: 1, columns: TEXTS.map(([, text]) => [text]) }]);
  expect(Number(execFileSync("python3", ["-c", PARSE], { input: bytes }).toString())).toBeGreaterThan(3);
});

it.each(TEXTS)("C17 %s survives a round trip in a cell and a header", async (_, text) => {
  const { sheets } = await readXlsx(await write([fieldOf(text, "string")], [{ rowCount: 1, columns: [[text]] }]));
  expect(sheets[0]?.rows).toEqual([[text], [text]]);
});

it.each([
  ["int64", "-9223372036854775808", "-9223372036854775808"],
  ["int64", "1000000000000000", "1000000000000000"],
  ["decimal", "-0.00", "-0.00"],
  ["float64", -0, "-0"],
  ["float64", 5e-324, "5e-324"],
  ["float64", 2.2250738585072014e-308, 2.2250738585072014e-308],
  ["timestamp", "2026-11-22T10:30:00.000001", "2026-11-22T10:30:00.000001"],
  ["timestamp", "2026-11-22T10:30:00.001", new Date("2026-11-22T10:30:00.001Z")],
  ["date", "-000043-03-15", "-000043-03-15"],
  ["date", "9999-12-31", new Date("9999-12-31")],
  ["date", "+010000-01-01", "+010000-01-01"],
] as [FieldType, WireValue, unknown][])("C17 %s %j is read as %j", async (type, value, found) => {
  expect(await cellOf(type, value)).toEqual(found);
});

it("rows are complete, cut at a limit within a batch", async () => {
  const batches = Array.from({ length: 5 }, (_, each) => ({
    rowCount: 1000,
    columns: [Array.from({ length: 1000 }, (_, row) => each * 1000 + row)],
  }));
  const { sheets } = await readXlsx(await write([fieldOf("n", "int32")], batches, 4321));
  expect(sheets).toHaveLength(1);
  expect(sheets[0]?.rows.slice(1).map(([n]) => n)).toEqual(Array.from({ length: 4321 }, (_, n) => n));
  const empty = await readXlsx(await write([fieldOf("n", "int32")], []));
  expect(empty.sheets[0]?.rows).toEqual([["n"]]);
});

it("ends the file at a text too long for a cell, and starts none with too many columns", async () => {
  const long = [{ rowCount: 1, columns: [["x".repeat(32_768)]] }];
  await expect(write([fieldOf("notes", "string")], long)).rejects.toThrow("The column notes has a value of 32768");
  expect(await cellOf("string", "x".repeat(32_767))).toHaveLength(32_767);
  const many = Array.from({ length: 16_385 }, (_, n) => fieldOf(`c${n}`, "int32"));
  expect(() => xlsx(many)).toThrow("The result has 16385 columns. Excel allows 16384.");
});

it("ends the read when its reader leaves", async () => {
  let isEnded = false;
  async function* endless(): AsyncGenerator<Batch> {
    try {
      for (;;) yield { rowCount: 1000, columns: [Array.from({ length: 1000 }, () => Math.random())] };
    } finally {
      isEnded = true;
    }
  }
  const reader = byteStream(endless(), xlsx([fieldOf("n", "float64")]), null, () => undefined).getReader();
  for (let bytes = 0; bytes < 100_000; ) bytes += (await reader.read()).value?.length ?? 0;
  await reader.cancel();
  await expect.poll(() => isEnded).toBe(true);
});
