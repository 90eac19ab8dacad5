import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Field, WireValue } from "@/lib/base/values/fields";
import { splitCases } from "@/test/cases";
import type { QueryableSource } from "../../../lib/features/connections/data-source";
import {
  begin,
  type FlowSource,
  type FlowSubject,
  type FlowSubjectName,
  field,
  loadRows,
  read,
  startFlowSubject,
} from "./flow-steps";

/*
 * The same values pass through each pair of databases: into the first, out of it, into the second, out of that. A value
 * without a native type may come back as its text, number or object. Nothing else may change.
 */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const NAMES: FlowSubjectName[] = ["postgres", "mariadb", "sqlite", "duckdb", "mongodb", "clickhouse"];

const COLUMNS: Field[] = [
  field("id", "int64", "bigint"),
  field("small", "int32", "integer"),
  field("big", "int64", "bigint"),
  field("ratio", "float64", "double precision"),
  field("amount", "decimal", "numeric(30,10)"),
  field("flag", "boolean"),
  field("word", "string", "text"),
  field("day", "date"),
  field("clock", "time", "time without time zone"),
  field("local", "timestamp", "timestamp without time zone"),
  field("moment", "timestamptz", "timestamp with time zone"),
  field("bytes", "binary", "bytea"),
  field("json", "json", "jsonb"),
  field("uid", "string", "uuid"),
  field("list", "array", "integer[]"),
];
const MICROS = "2026-10-31T01:02:03.000001";
const MILLIS = "2026-10-31T01:02:03";
const UUID = "01234567-89ab-cdef-0123-456789abcdef";
const ROWS: WireValue[][] = [
  [
    ...[1, -2_147_483_648, "9223372036854775807", 0.1, "12345678901234567890.1234567891", true],
    ...["grüße 😀\t\n\\\"'`\\N", "1999-12-31", "23:59:59.999999", MICROS],
    ...["2026-10-31T10:00:00.123Z", "AP8Q", { a: [1, 2.5, null, "x"], b: { c: "9007199254740993" } }, UUID, [1, 2, 3]],
  ],
  [2, 2_147_483_647, "-9223372036854775808", -1e300, "-0.0000000001", false, "", "2026-02-28", "00:00:00", "1970-01-01T00:00:00", "1970-01-01T00:00:00Z", "", {}, UUID, []],
  [3, 0, 0, 0, "0.0000000000", true, " NULL ", "2000-02-29", "12:00:00", "2026-03-29T02:30:00", "2026-03-29T01:30:00Z", "YQ==", { "": null }, UUID, [9]],
  [4, ...Array.from({ length: COLUMNS.length - 1 }, () => null)],
]; // biome-ignore format: one row a line

/** Normalises equivalent values: 1 for true, `{"a":1}` for the object, a stamp without its zone for the instant. */
function plain(value: WireValue, { type }: Field): unknown {
  if (value === null) return null;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  switch (type) {
    case "boolean":
      return text === "true" || text === "1";
    case "decimal":
      return plainDecimal(text);
    case "timestamp":
    case "timestamptz":
      return text
        .replace(/Z$/, "")
        .replace(/(\.\d*?)0+$/, "$1")
        .replace(/\.$/, "");
    case "json":
    case "array":
      return typeof value === "string" ? sortedKeys(JSON.parse(value)) : sortedKeys(value);
    default:
      return text;
  }
}

/** Expands an exponent, with which MongoDB writes small decimals. */
function plainDecimal(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/.exec(text) ?? [];
  const scale = Math.max(fraction.length - Number(exponent), 0);
  const digits = `${whole}${fraction}`.padStart(scale + 1, "0");
  const split = digits.length - scale;
  const plainText = `${digits.slice(0, split)}.${digits.slice(split)}`.replace(/\.?0*$/, "");
  return plainText === "0" ? "0" : `${sign}${plainText}`;
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort().map(([key, item]) => [key, sortedKeys(item)])); // biome-ignore format: short
}

describe("values from one database to another", () => {
  const subjects = new Map<FlowSubjectName, { subject: FlowSubject; source: FlowSource & QueryableSource }>();

  beforeAll(async () => {
    for (const name of NAMES) {
      const subject = await startFlowSubject(name);
      if (subject) subjects.set(name, { subject, source: await subject.open(false) });
    }
  });
  afterAll(async () => {
    for (const { subject, source } of subjects.values()) {
      await source.close();
      await subject.stop();
    }
  });

  const expected = ROWS.map((row) => row.map((value, index) => plain(value, COLUMNS[index] as Field)));
  const found = (fields: Field[], rows: WireValue[][]) =>
    rows
      .map((row) =>
        COLUMNS.map((column) => plain(row[fields.findIndex(({ name }) => name === column.name)] ?? null, column)),
      )
      .sort(([left], [right]) => Number(left) - Number(right));

  // Every run has three of the five.
  for (const { tags, cases } of splitCases(NAMES, 2))
    test.each(cases)("are unchanged from %s into each of the others", { tags }, async (from) => {
      const origin = subjects.get(from);
      if (!origin) return;
      await loadRows(origin.source, { table: { name: `from_${from}` }, columns: COLUMNS, primaryKey: ["id"] }, ROWS);
      const first = await read(origin.source, { entity: { name: `from_${from}` } });
      expect(found(first.fields, first.rows), `into ${from}`).toEqual(expected);
      const keep = first.fields.filter(({ name }) => COLUMNS.some((column) => column.name === name));
      for (const [to, { source }] of subjects) {
        const table = { name: `rows_${from}_to_${to}` };
        const load = await begin(source, { table, columns: keep, primaryKey: ["id"] });
        for (const { rowCount, columns, checkpoint } of first.batches) {
          const kept = columns.filter((_, index) => keep.includes(first.fields[index] as Field));
          await load.write({ rowCount, columns: kept }, { position: checkpoint, rejectsMax: 0 });
        }
        await load.finish();
        const { fields, rows } = await read(source, { entity: table });
        // ClickHouse has zoneless timestamps as instants in UTC, and MongoDB keeps the milliseconds of those.
        const isCut = from === "clickhouse" && to === "mongodb";
        const kept = isCut ? expected.map((row) => row.map((value) => (value === MICROS ? MILLIS : value))) : expected;
        expect(found(fields, rows), `from ${from} to ${to}`).toEqual(kept);
      }
    });
});
