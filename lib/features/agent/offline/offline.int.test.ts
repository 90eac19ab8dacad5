import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateText, isStepCount, type ModelMessage } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFragment } from "@/lib/features/query/browser/question-address";
import { shopEngine, type TestEngine } from "@/test/fixtures/agent/engines";
import { workbench } from "@/test/fixtures/agent/stand-in-tools";
import { offlineModel } from ".";

const folder = mkdtempSync(join(tmpdir(), "millrace-offline-"));
let shop: TestEngine;

beforeAll(async () => {
  shop = await shopEngine(join(folder, "shop.duckdb"));
});
afterAll(async () => {
  await shop.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(...questions: string[]) {
  const bench = workbench(shop, "Sample shop", await shop.tables());
  const messages: ModelMessage[] = [];
  let text = "";
  for (const question of questions) {
    messages.push({ role: "user", content: question });
    const result = await generateText({
      model: offlineModel(),
      instructions: "Today is 2026-11-01 (UTC).",
      messages,
      tools: bench.tools,
      stopWhen: isStepCount(20),
    });
    messages.push(...result.responseMessages);
    text = result.text;
  }
  return { text, ran: bench.ran, calls: bench.calls };
}

test("lists tables with their sizes", async () => {
  const { text, ran } = await ask("Which tables are there?");
  for (const name of ["customers", "orders", "page_events", "daily_revenue"]) expect(text).toContain(`\`${name}\``);
  expect(ran).toEqual([]);
});

test("describes a table with columns and references, inferred by name without declared keys", async () => {
  const { text } = await ask("Describe the orders table");
  expect(text).toContain("`total_cents` (BIGINT)");
  expect(text).toContain("references `customers`");
  expect(text).toContain("Referenced by `order_items`, `refunds`");
});

test("counts with one query and shows the number", async () => {
  const { text, ran } = await ask("How many customers do we have?");
  expect(ran.at(-1)?.rows).toEqual([{ customers_count: "2400" }]);
  expect(text).toContain("**2,400**");
});

test.each([
  '@"Sample shop" How many customers do we have?',
  'How many customers do we have in @"Sample shop"?',
  "How many @customers are there?",
  "Use the Sample shop connection. How many customers do we have?",
  "Query Sample shop: how many customers do we have? Return the count.",
])("reads a name of the list as the name alone: %s", async (question) => {
  expect((await ask(question)).ran.at(-1)?.rows).toEqual([{ customers_count: "2400" }]);
});

test("reads a follow-up of a question that names its connection", async () => {
  const { ran } = await ask('@"Sample shop" How many customers per country?', "show it as a bar chart");
  expect(ran.at(-1)?.rows).toHaveLength(16);
});

test("proposes the query of an uncertain question, and runs it when confirmed", async () => {
  const question = "top 3 customers by revenue in 2025";
  const proposed = await ask(question);
  expect(proposed.text).toContain("limit 3\n```");
  expect(proposed.text).toContain("Reply “yes” to run it");
  const address = /\[Change it in the question builder\]\(\/questions\/[0-9a-f]{24}(#[^)]+)\)/.exec(proposed.text)?.[1];
  expect(readFragment(address ?? "")).toMatchObject({ table: { name: "orders" }, limit: 3 });
  const { text, ran } = await ask(question, "yes");
  const expected = await shop.query(
    "select c.name, sum(o.total_cents) / 100.0 as total from orders o join customers c on c.id = o.customer_id where year(o.placed_at) = 2025 group by c.id, c.name order by 2 desc limit 3",
  );
  expect(ran.at(-1)?.rows).toEqual(expected.rows.map(({ name, total }) => ({ name, total })));
  expect(text).toContain(`**${expected.rows[0]?.name}**`);
  expect(text).toMatch(/\| name \| total \|/);
});
