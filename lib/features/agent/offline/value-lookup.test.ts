import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { Schema } from "./schema";
import { lookupColumns, lookupPipeline, lookupSql, readHits } from "./value-lookup";

const ROWS = 30_000;
const schemaOf = (rowEstimate: number) =>
  new Schema([
    {
      name: "orders",
      rowEstimate,
      columns: [
        { name: "id", type: "integer", primaryKey: true },
        { name: "status", type: "text" },
      ],
    },
  ]);

test("finds the values of a large table's first and last rows, and reads none between", () => {
  const database = new DatabaseSync(":memory:");
  database.exec("create table orders (id integer primary key, status text)");
  const insert = database.prepare("insert into orders values (?, ?)");
  for (let id = 1; id <= ROWS; id++) {
    insert.run(id, id === 1 ? "paid" : id === ROWS / 2 ? "lost" : id === ROWS ? "shipped" : "delivered");
  }
  const refs = lookupColumns(schemaOf(ROWS), []);
  const rows = database.prepare(lookupSql(refs, ["paid", "lost", "shipped"], "sqlite")).all();
  expect(
    readHits(rows, refs)
      .map(({ value }) => value)
      .sort(),
  ).toEqual(["paid", "shipped"]);
  database.close();
});

test("reads a value of both halves once, and no last rows where keys have no index", () => {
  const refs = lookupColumns(schemaOf(ROWS), []);
  const paid = { place: 0, found: "paid" };
  expect(readHits([paid, { ...paid }], refs).map(({ value }) => value)).toEqual(["paid"]);
  for (const dialect of ["clickhouse", "redshift", "trino", "standard"] as const) {
    expect(lookupSql(refs, ["paid"], dialect)).not.toMatch(/max\(|order by/);
  }
});

test("reads a small table once, and both ends of a large collection", () => {
  expect(lookupSql(lookupColumns(schemaOf(ROWS / 10), []), ["paid"], "sqlite")).not.toContain("order by");
  const sorts = (rowEstimate: number) =>
    lookupPipeline(lookupColumns(schemaOf(rowEstimate), []), ["paid"]).match(/\$sort/g)?.length ?? 0;
  expect([sorts(ROWS / 10), sorts(ROWS)]).toEqual([0, 1]);
});
