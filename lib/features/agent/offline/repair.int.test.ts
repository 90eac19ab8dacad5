import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateText, isStepCount } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EngineTable, shopEngine, type TestEngine } from "@/test/fixtures/agent/engines";
import { workbench } from "@/test/fixtures/agent/stand-in-tools";
import { offlineModel } from ".";

const folder = mkdtempSync(join(tmpdir(), "millrace-repair-"));
let shop: TestEngine;

beforeAll(async () => {
  shop = await shopEngine(join(folder, "shop.duckdb"));
});
afterAll(async () => {
  await shop.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Asks like the button beside a failed query, with the database's own message. */
async function fix(sql: string, said?: string, before: EngineTable[] = []) {
  const message =
    said ??
    (await shop.query(sql).then(
      () => "",
      (error: Error) => error.message,
    ));
  expect(message).not.toBe("");
  const bench = workbench(shop, "Sample shop", [...before, ...(await shop.tables())]);
  const { text } = await generateText({
    model: offlineModel(),
    instructions: "Today is 2026-11-01 (UTC).",
    messages: [{ role: "user", content: `Fix this error: ${message}\n\n\`\`\`sql\n${sql}\n\`\`\`` }],
    tools: bench.tools,
    stopWhen: isStepCount(20),
  });
  return { text, ran: bench.ran, mended: /```sql\n([\s\S]*?)\n```/.exec(text)?.[1] ?? null };
}

test("corrects a mistyped table, and runs the suggestion", async () => {
  const { mended, ran, text } = await fix("select count(*) as n from ordrs");
  expect(mended).toBe("select count(*) as n from orders");
  expect(ran.at(-1)?.query).toBe(mended);
  expect(text).toContain("`orders`");
  expect(text).toContain("1 row");
});

test("qualifies a table of another schema", async () => {
  const schemata: EngineTable = {
    name: "schemata",
    schema: "information_schema",
    kind: "view",
    columns: [],
    foreignKeys: [],
  };
  const { mended } = await fix("select count(*) as n from schemata", undefined, [schemata]);
  expect(mended).toBe("select count(*) as n from information_schema.schemata");
});

test("corrects a mistyped column, outside of strings and comments", async () => {
  const { mended } = await fix("select 'naem' as a, naem -- naem\nfrom customers where naem like 'A%' limit 3");
  expect(mended).toBe("select 'naem' as a, name -- naem\nfrom customers where name like 'A%' limit 3");
});

test("finds a column with its words in another order", async () => {
  const { mended } = await fix("select cents_total from orders limit 1");
  expect(mended).toBe("select total_cents from orders limit 1");
});

test("corrects a mistyped keyword and an extra comma", async () => {
  expect((await fix("selct id from orders limit 1")).mended).toBe("select id from orders limit 1");
  // This engine accepts such a comma; PostgreSQL does not.
  const said = 'syntax error at or near "from"';
  expect((await fix("select id, from orders limit 1", said)).mended).toBe("select id from orders limit 1");
  expect((await fix("select id form orders limit 1")).mended).toBe("select id from orders limit 1");
});

test("replaces a name in all places", async () => {
  const { mended, ran } = await fix(
    "select naem, upper(naem), lower(naem), length(naem) from customers where naem > ''",
  );
  expect(mended).toBe("select name, upper(name), lower(name), length(name) from customers where name > ''");
  expect(ran).toHaveLength(1);
});

test("fixes two errors one after the other", async () => {
  const { mended } = await fix("select naem from custmers limit 1");
  expect(mended).toBe("select name from customers limit 1");
});

test("searches by prefix in a database with many tables", async () => {
  const many = Array.from({ length: 300 }, (_, n) => ({
    name: `a_filler_${n}`,
    kind: "table",
    columns: [],
    foreignKeys: [],
  }));
  const { mended } = await fix("select naem from custmers limit 1", undefined, many as never);
  expect(mended).toBe("select name from customers limit 1");
});

test("says what it can't fix, and suggests no query", async () => {
  const { mended, text } = await fix("select wholly_unknown_thing from orders");
  expect(mended).toBeNull();
  expect(text).toContain("wholly");
  expect(text).toContain("Check the position");
});

test("fixes a write without running it", async () => {
  const { mended, ran, text } = await fix("delete from ordrs");
  expect([mended, ran]).toEqual(["delete from orders", []]);
  expect(text).toContain("The statement changes data");
});
