// @module-tag heavy
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WireValue } from "@/lib/base/values/fields";
import { isJsonText } from "@/lib/base/values/json-text";
import { turnsOf } from "@/test/processor-time";
import { readerOf as clickhouseReaderOf, exactReaderOf } from "../clickhouse/types";
import { type TypeSignature, readerOf as trinoReaderOf } from "../trino/types";
import { pausing, readRowSliced, type ValueReader } from "./value-readers";

const of = (rawType: string, ...items: TypeSignature[]): TypeSignature => ({
  rawType,
  arguments: items.map((value) => ({ kind: "TYPE", value })),
});
const rowOf = (...fields: [name: string, type: TypeSignature][]): TypeSignature => ({
  rawType: "row",
  arguments: fields.map(([name, typeSignature]) => ({
    kind: "NAMED_TYPE",
    value: { fieldName: { name }, typeSignature },
  })),
});
const BIGINT = { rawType: "bigint" };
const INSTANT = { rawType: "timestamp with time zone" };
const JSON_TYPE = { rawType: "json" };

const READERS: Record<string, ValueReader> = {
  "array(bigint) of Trino": trinoReaderOf(of("array", BIGINT)),
  "array(array(bigint)) of Trino in a flow": trinoReaderOf(of("array", of("array", BIGINT)), true),
  "array(timestamp with time zone) of Trino": trinoReaderOf(of("array", INSTANT)),
  "array(row) of Trino": trinoReaderOf(of("array", rowOf(["a", BIGINT], ["__proto__", JSON_TYPE]))),
  "map(varchar, bigint) of Trino": trinoReaderOf(of("map", { rawType: "varchar" }, BIGINT)),
  "array(json) of Trino": trinoReaderOf(of("array", JSON_TYPE)),
  "Array(Int64) of ClickHouse": clickhouseReaderOf("Array(Int64)"),
  "Array(Nullable(Int64)) of ClickHouse in a flow": exactReaderOf("Array(Nullable(Int64))"),
  "Array(Tuple(a Int64, b String)) of ClickHouse": clickhouseReaderOf("Array(Tuple(a Int64, b String))"),
  "Array(Array(Float64)) of ClickHouse": clickhouseReaderOf("Array(Array(Float64))"),
  "Map(String, Int64) of ClickHouse": clickhouseReaderOf("Map(String, Int64)"),
  "Map(String, Int64) of ClickHouse in a flow": exactReaderOf("Map(String, Int64)"),
  "JSON of ClickHouse in a flow": exactReaderOf("JSON"),
};

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const object = (count: number, make: (index: number) => unknown) =>
  Object.fromEntries(times(count, (index) => [`key ${index}`, make(index)]));

/** Cells of several megabytes in the server's JSON. */
const LARGE: Record<keyof typeof READERS, unknown> = {
  "array(bigint) of Trino": times(300_000, (index) => 9_007_199_254_000_000 + index),
  "array(array(bigint)) of Trino in a flow": times(80_000, (index) => [index, null, "9007199254740993"]),
  "array(timestamp with time zone) of Trino": times(30_000, () => "2026-07-15 12:00:00.123456 Europe/Paris"),
  "array(row) of Trino": times(80_000, (index) => [index, '{"a":[1]}']),
  "map(varchar, bigint) of Trino": object(150_000, (index) => index),
  "array(json) of Trino": [
    ...times(100_000, () => '{"a":[1,2,3]}'),
    JSON.stringify(times(400_000, () => ({ a: "b" }))),
  ],
  "Array(Int64) of ClickHouse": times(300_000, (index) => 9_007_199_254_000_000 + index),
  "Array(Nullable(Int64)) of ClickHouse in a flow": times(300_000, (index) => (index % 2 ? "9007199254740993" : null)),
  "Array(Tuple(a Int64, b String)) of ClickHouse": times(80_000, (index) => ({ a: index, b: "text" })),
  "Array(Array(Float64)) of ClickHouse": times(300, () => times(1000, () => "nan")),
  "Map(String, Int64) of ClickHouse": object(150_000, (index) => index),
  "Map(String, Int64) of ClickHouse in a flow": object(150_000, (index) => index),
  "JSON of ClickHouse in a flow": { list: times(200_000, (index) => index), object: object(100_000, (index) => index) },
};

const read = async (reader: ValueReader, value: unknown, rest = async () => {}): Promise<WireValue> =>
  (await readRowSliced([value], [reader], pausing(rest)))[0] ?? null;
const shown = (value: WireValue): unknown => (isJsonText(value) ? value.json : value);

describe("a cell of many megabytes", () => {
  it.each(Object.keys(READERS))("C2 takes at most 50 ms of processor time between two rests: %s", async (name) => {
    const reader = READERS[name] as ValueReader;
    const turns = await turnsOf((rest) => read(reader, LARGE[name], rest));
    expect(turns[3] ?? 0).toBeLessThan(50);
    expect(turns.length).toBeGreaterThan(100);
  });

  it.each(Object.keys(READERS))("C2 has the same value as in one turn: %s", async (name) => {
    const reader = READERS[name] as ValueReader;
    const item = fc.oneof(
      fc.constantFrom<unknown>(null, "9007199254740993", "nan", "2026-01-01 00:00:00 UTC", '{"a": 1}', "{", ["1"]),
      fc.integer(),
    );
    const values = fc.oneof(
      item,
      fc.array(fc.oneof(item, fc.array(item, { maxLength: 4 })), { maxLength: 600 }),
      fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), item),
    );
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        // JSON makes own properties of keys such as __proto__, as the driver's parser does.
        const text = JSON.stringify(value);
        const atOnce = value === null ? null : reader.read(JSON.parse(text));
        expect(shown(await read(reader, JSON.parse(text)))).toEqual(shown(atOnce));
      }),
      { numRuns: 40 },
    );
  });
});
