import { describe, expect, it } from "vitest";
import { toSqlText } from "@/lib/base/sql/names";
import { toCopyText } from "@/lib/features/results/browser/copy-rows";
import { columnsSql, tablesSql, toEntities } from "./catalog";
import { redshiftValues } from "./column-values";
import { parseRedshiftConfig } from "./config";
import { warningOf } from "./rights";
import { REDSHIFT_TYPES, redshiftDecoderOf } from "./types";
import { numberType } from "./variables";

describe("the config", () => {
  it("requires TLS unless it is turned off, and takes Redshift's port", () => {
    expect(parseRedshiftConfig({ host: "c.example" })).toMatchObject({ port: 5439, database: "dev", ssl: "require" });
    expect(parseRedshiftConfig({ host: "c.example", ssl: "disable" }).ssl).toBe("disable");
    expect(parseRedshiftConfig({ host: "c.example", ssl: "verify-full" }).ssl).toBe("verify-full");
    expect(parseRedshiftConfig({ connectionString: "redshift://u:p@c.example/dev" })).toMatchObject({ ssl: "require" });
    const plain = "redshift://u:p@c.example/dev?sslmode=disable";
    expect(parseRedshiftConfig({ connectionString: plain }).ssl).toBe("disable");
  });

  it("never falls back to plain text", () => {
    const parsed = parseRedshiftConfig({ connectionString: "postgres://u:p@c.example/dev?sslmode=prefer" });
    expect(parsed.ssl).toBe("require");
    expect(parsed.mayBePlain).toBeUndefined();
  });
});

describe("the types", () => {
  it.each([
    [4000, "super", '{"a":[1]}', { a: [1] }],
    [6551, "varbyte", "00ff", "AP8="],
    [1266, "time with time zone", "12:30:00+02", "12:30:00+02:00"],
    [2935, "hllsketch", '{"logm":15}', '{"logm":15}'],
    [3000, "geometry", "0101", "0101"],
    [20, "bigint", "9223372036854775807", "9223372036854775807"],
    [701, "double precision", "0.1", 0.1],
    [1190, "interval day to second", "1 days 2 hours", "1 days 2 hours"],
  ])("reads %i as %s", (oid, name, text, value) => {
    expect(REDSHIFT_TYPES.get(oid)?.name).toBe(name);
    expect(redshiftDecoderOf(oid, false)(text)).toEqual(value);
  });
});

describe("the catalogue", () => {
  const rows = {
    tables: [
      ["public", "orders", "BASE TABLE"],
      ["public", "late", "VIEW"],
      ["lake", "events", "EXTERNAL TABLE"],
    ],
    columns: [
      ["public", "orders", "id", "bigint", "NO", null, 64, 0],
      ["public", "orders", "total", "numeric", "YES", null, 10, 2],
      ["public", "orders", "note", "character varying", "YES", 256, null, null],
      ["lake", "events", "at", "timestamp", "YES", null, null, null],
    ],
    keys: [
      ["p", "public", "orders", "1", null, null, null],
      ["f", "public", "orders", "1", "lake", "events", "3"],
    ],
    keyColumns: [
      ["public", "orders", 1, "id"],
      ["lake", "events", 3, "at"],
    ],
  };

  it("lists tables, views and external tables with columns and declared keys", () => {
    expect(toEntities("public", rows)).toEqual([
      {
        name: "orders",
        kind: "table",
        columns: [
          { name: "id", type: "bigint", nullable: false, primaryKey: true },
          { name: "total", type: "numeric(10,2)", nullable: true, primaryKey: false },
          { name: "note", type: "character varying(256)", nullable: true, primaryKey: false },
        ],
        foreignKeys: [{ columns: ["id"], references: { schema: "lake", name: "events", columns: ["at"] } }],
      },
      { name: "late", kind: "view", columns: [] },
      {
        name: "events",
        schema: "lake",
        kind: "table",
        columns: [{ name: "at", type: "timestamp", nullable: true, primaryKey: false }],
      },
    ]);
  });

  it("quotes chosen schemas", () => {
    expect(tablesSql(["a'b\\"])).toContain(`in (${toSqlText("a'b\\", "redshift")})`);
    expect(columnsSql(null)).not.toContain("in ('a");
  });
});

describe("values in conditions", () => {
  const bind = { text: (value: string) => `<${value}>`, number: (value: number) => `<${value}>` };
  const of = (type: string) => redshiftValues.of({ name: "c", type, nullable: true, primaryKey: false }, '"c"');

  it.each([
    ["bigint", "12", '"c" = CAST(<12> AS integer)'],
    ["numeric(10,2)", "5.005", '"c" = CAST(<5.005> AS numeric(38,3))'],
    ["character varying(20)", "a", '"c" = CAST(<a> AS varchar(65535))'],
    ["boolean", "TRUE", '"c" = CAST(<true> AS boolean)'],
    [
      "timestamp with time zone",
      "2026-01-01T00:00:00",
      '"c" = CAST(<2026-01-01T00:00:00Z> AS timestamp with time zone)',
    ],
    ["binary varying(10)", "AP8=", '"c" = from_hex(<00ff>)'],
  ])("compares a %s with %s", (type, shown, sql) => {
    expect(of(type).is(shown, bind)).toBe(sql);
  });

  it("does not sort by types without an order, and treats declared keys as repeatable", () => {
    for (const type of ["super", "geometry", "hllsketch", "varbyte(10)"]) expect(of(type).order).toBeNull();
    expect(redshiftValues.keysRepeat).toBe(true);
  });

  it("keeps every digit of a number", () => {
    expect(["1", "-3000000000", "1.25", "1e300", "12345678901234567890"].map(numberType)).toEqual([
      "integer",
      "bigint",
      "numeric(38,2)",
      "double precision",
      "numeric(38,0)",
    ]);
  });
});

it("writes rows as INSERT that Redshift reads", () => {
  const fields = [
    { name: "open", type: "string" },
    { name: "data", type: "json", dbType: "super" },
    { name: "raw", type: "binary", dbType: "varbyte" },
  ];
  const rows = [{ open: "a\\b'c", data: { k: "it's" }, raw: "AP8=" }];
  expect(toCopyText("insert", fields, rows, true, { table: "t", dialect: "redshift" })).toBe(
    `insert into t ("open", data, "raw") values\n  ('a\\\\b''c', json_parse('{"k":"it''s"}'), from_hex('00ff'));`,
  );
});

it("warns about a user that can write", () => {
  expect(warningOf([false, null])).toBeNull();
  expect(warningOf([true, null])).toMatch(/superuser/);
  expect(warningOf([false, "public.orders"])).toMatch(/public\.orders/);
  expect(warningOf(null)).toMatch(/privileges/);
});
