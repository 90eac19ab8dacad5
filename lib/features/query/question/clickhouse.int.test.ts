import { afterAll, beforeAll, expect, test } from "vitest";
import { NEW_QUESTION } from "@/lib/base/questions/question";
import type { Entity } from "@/lib/base/values/fields";
import type { QueryableSource } from "@/lib/features/connections/data-source";
import { clickhouse } from "@/lib/features/connections/drivers/clickhouse";
import { ask, change, openWith } from "@/test/conformance/drivers/subjects";
import { type ChDb, startChDb } from "@/test/servers/chdb";
import { planQuestion } from "./plan";

let chDb: ChDb | null = null;
let reader: QueryableSource;
let entities: Entity[];

beforeAll(async () => {
  chDb = await startChDb();
  if (!chDb) return;
  const config = { host: "127.0.0.1", port: chDb.port, user: "default", password: "" };
  const writer = await openWith(clickhouse, config, false);
  await change(
    writer,
    "create table buyers (id Int64, region String, tags Array(String)) engine = MergeTree order by id",
    "create table sales (id Int64, buyer_id Int64, total Int64, paid Decimal(38, 10)) engine = MergeTree order by id",
    "insert into buyers values (1, 'north', ['a']), (1, 'north', ['b'])",
    "insert into sales values (7, 1, 10, 1), (7, 1, 10, 2), (8, 2, 5, '12345678901234567890.5')",
  );
  await writer.close();
  reader = await openWith(clickhouse, config);
  const all = await reader.entities(new AbortController().signal);
  entities = ["sales", "buyers"].flatMap((name) => all.filter((entity) => entity.name === name));
}, 60_000);
afterAll(async () => {
  await reader?.close();
  await chDb?.stop();
});

async function answerOf(more: object): Promise<string[][]> {
  const on = [{ from: { column: "buyer_id" }, column: "id" }];
  const joins = [{ table: { name: "buyers" }, kind: "left" as const, on }];
  const question = { ...NEW_QUESTION, table: { name: "sales" }, timezone: "UTC", joins, ...more };
  const engine = { dialect: "clickhouse" as const, nullsLast: " nulls last", keysRepeat: true };
  const { rows } = await ask(reader, planQuestion(question, entities, engine).sql);
  return rows.map((row) => row.map(String));
}

test("a left join has nulls in rows without a match", async (context) => {
  if (!chDb) return context.skip();
  const isMissing = { column: { table: "buyers", column: "id" }, op: "isNull", values: [] };
  const columns = [{ column: "id" }, { table: "buyers", column: "region" }, { table: "buyers", column: "tags" }];
  expect(await answerOf({ filters: [isMissing], columns })).toEqual([["8", "null", ""]]);
});

test("sums and counts use each row once, also those with one primary key", async (context) => {
  if (!chDb) return context.skip();
  const summaries = [
    { function: "sum", column: { column: "total" } },
    { function: "count", table: "buyers" },
    { function: "count" },
  ];
  const groups = [{ column: { table: "buyers", column: "region" } }];
  expect(await answerOf({ groups, summaries })).toEqual([
    ["north", "20", "2", "4"],
    ["null", "5", "0", "1"],
  ]);
});

test("decimals keep their digits", async (context) => {
  if (!chDb) return context.skip();
  const columns = [{ column: "id" }];
  const where = (op: string, ...values: string[]) => ({
    columns,
    filters: [{ column: { column: "paid" }, op, values }],
  });
  expect(await answerOf(where("eq", "12345678901234567890.5"))).toEqual([["8"]]);
  expect(await answerOf(where("gt", "12345678901234567890.4999"))).toEqual([["8"]]);
  expect(await answerOf(where("in", "12345678901234567890.4", "2"))).toEqual([["7"], ["7"]]);
  const right = { number: "0.1" };
  const formulas = ["paid", "total"].map((name) => ({
    name: `${name}+`,
    left: { column: { column: name } },
    sign: "+",
    right,
  }));
  const eight = [{ column: { column: "id" }, op: "eq", values: ["8"] }];
  const answer = await answerOf({ formulas, columns: formulas.map(({ name }) => ({ column: name })), filters: eight });
  expect(answer).toEqual([["12345678901234567890.6", "5.1"]]);
});
