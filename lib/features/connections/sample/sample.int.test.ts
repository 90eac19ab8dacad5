import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { QueryableSource } from "@/lib/features/connections/data-source";
import { duckdb } from "@/lib/features/connections/drivers/duckdb";
import { requireQueryable } from "@/lib/features/connections/queryable";
import { childEntry } from "@/lib/platform/process/entries";
import { query, takeOwnDataDir, WORKSPACE_ID } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { SAMPLE_LAST_DAY } from "@/test/fixtures/connections/sample-day";
import { ensureSample, samplePath } from ".";

const FIRST_RUN = `select p.name, sum(i.quantity) as sold, sum(i.quantity * i.price_cents) / 100.0 as revenue
from order_items i join products p on p.id = i.product_id group by p.name order by revenue desc limit 10;`;
const TABLES = ["customers", "products", "orders", "order_items", "page_events", "refunds"];

const dataDir = takeOwnDataDir();
let source: QueryableSource;

beforeAll(async () => {
  // No waiting before: a query that arrives before the sample exists waits for it.
  source = requireQueryable(
    await duckdb.open({
      workspaceId: WORKSPACE_ID,
      connectionId: "c".repeat(24),
      config: { sample: true },
      readOnly: true,
    }),
  );
});
afterAll(async () => {
  await source.close();
  dataDir.remove();
});

const one = async (text: string) => (await query(source, text, { readOnly: true })).rows[0];

describe("the sample shop", () => {
  it("is built once for concurrent requests, without partial results", async () => {
    await Promise.all([ensureSample(), ensureSample(), query(source, "select 1", { readOnly: true })]);
    expect(existsSync(samplePath())).toBe(true);
    expect(readdirSync(dirname(samplePath())).filter((name) => name.includes("building"))).toEqual([]);
  });

  it("has the documented number of rows", async () => {
    expect(
      await one(`select (select count(*) from customers), (select count(*) from products), (select count(*) from orders),
                        (select count(*) from order_items), (select count(*) from page_events)`),
    ).toEqual([2400, 180, 100_000, 300_000, 1_000_000]);
  });

  it("is consistent: totals, counts, references and times", async () => {
    expect(
      await one(`select count(*) from orders o join (
        select order_id, sum(quantity * price_cents) as total, sum(quantity) as items from order_items group by order_id
      ) i on i.order_id = o.id where i.total = o.total_cents and i.items = o.item_count`),
    ).toEqual([100_000]);
    expect(
      await one(
        "select count(*) from orders o join customers c on c.id = o.customer_id and c.created_at <= o.placed_at and c.region = o.region",
      ),
    ).toEqual([100_000]);
    expect(
      await one(
        "select count(*) from order_items i join products p on p.id = i.product_id and p.launched_on <= date '2024-01-01'",
      ),
    ).toEqual([300_000]);
    expect(
      await one(
        "select count(*) from page_events e left join customers c on c.id = e.customer_id where e.customer_id is not null and c.created_at is null",
      ),
    ).toEqual([0]);
    expect(
      await one(
        "select count(*) from orders o where (o.status = 'refunded') <> exists (from refunds r where r.order_id = o.id and r.amount_cents = o.total_cents and r.refunded_at >= o.placed_at)",
      ),
    ).toEqual([0]);
    expect(await one("select min(placed_at)::date, max(placed_at)::date from orders")).toEqual([
      "2024-01-01",
      "2026-10-31",
    ]);
    expect(
      await one("select count(distinct email), count(distinct name), count(distinct country) from customers"),
    ).toEqual([2400, 2400, 16]);
    expect(await one("select count(distinct name), count(distinct sku) from products")).toEqual([180, 180]);
  });

  it("has foreign keys for row links and join completion", async () => {
    const entities = await source.entities(new AbortController().signal);
    const keys = entities.flatMap(({ name, foreignKeys = [] }) =>
      foreignKeys.map(({ columns, references }) => `${name}.${columns} = ${references.name}.${references.columns}`),
    );
    expect(keys.sort()).toEqual([
      "order_items.order_id = orders.id",
      "order_items.product_id = products.id",
      "orders.customer_id = customers.id",
      "refunds.order_id = orders.id",
    ]);
  });

  it("has a trend: it grows, the week peaks on Saturday, December is the best month", async () => {
    expect(
      await one(
        "select count(*) filter (where year(placed_at) = 2024) < count(*) filter (where year(placed_at) = 2025) from orders",
      ),
    ).toEqual([true]);
    expect(await one("select isodow(placed_at) from orders group by 1 order by count(*) desc limit 1")).toEqual([6]);
    expect(
      await one(
        "select month(placed_at) from orders where year(placed_at) = 2025 group by 1 order by count(*) desc limit 1",
      ),
    ).toEqual([12]);
  });

  it("answers the first query with a plausible top ten", async () => {
    const { rows } = await query(source, FIRST_RUN, { readOnly: true });
    const revenues = rows.map((row) => Number(row[2]));
    expect(rows).toHaveLength(10);
    expect(new Set(rows.map(([name]) => name)).size).toBe(10);
    expect(revenues).toEqual([...revenues].sort((a, b) => b - a));
    // No product makes more than a tenth of all sales, and the tenth still makes more than a hundredth.
    const [total] = (await one("select sum(quantity * price_cents) / 100.0 from order_items")) ?? [];
    expect((revenues[0] ?? 0) / Number(total)).toBeLessThan(0.1);
    expect((revenues[9] ?? 0) / Number(total)).toBeGreaterThan(0.01);
  });

  it("can't be changed by anyone, whatever the connection allows", async () => {
    await expect(query(source, "delete from orders", { readOnly: false })).rejects.toMatchObject({ kind: "read_only" });
    await expect(query(source, "create table x (a int)", { readOnly: true })).rejects.toMatchObject({
      kind: "read_only",
    });
  });

  it("lists its tables with primary keys, and its views", async () => {
    const entities = await source.entities(new AbortController().signal);
    expect(
      entities
        .filter((entity) => entity.kind === "table")
        .map((entity) => entity.name)
        .sort(),
    ).toEqual([...TABLES].sort());
    expect(entities.filter((entity) => entity.kind === "view").map((entity) => entity.name)).toEqual([
      "daily_revenue",
      "product_sales",
    ]);
    for (const { kind, columns } of entities) {
      expect(columns?.filter((column) => column.primaryKey).map((column) => column.name)).toEqual(
        kind === "table" ? ["id"] : [],
      );
    }
  });

  const build = async (lastDay: string) => {
    const path = `${samplePath()}.${lastDay}`;
    const args = [childEntry("engine"), "--build-sample", lastDay, "--file", path];
    const child = spawn(process.execPath, args, { stdio: "inherit" });
    expect((await once(child, "close"))[0]).toBe(0);
    return path;
  };

  it("ends on the day of its build", async () => {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const instance = await DuckDBInstance.create(await build("2028-02-29"), { access_mode: "READ_ONLY" });
    const connection = await instance.connect();
    const reader = await connection.runAndReadAll(`select min(placed_at)::date::varchar, max(placed_at)::date::varchar,
      (select max(occurred_at)::date::varchar from page_events), (select max(created_at)::date <= max(placed_at)::date from customers),
      (select max(refunded_at)::date <= max(placed_at)::date from refunds), count(*)::int from orders`);
    expect(reader.getRows()).toEqual([["2025-05-01", "2028-02-29", "2028-02-29", true, true, 100_000]]);
    connection.closeSync();
    instance.closeSync();
  });

  it("is the same in every build of one day, row by row", { tags: ["long"] }, async () => {
    const again = await build(SAMPLE_LAST_DAY);
    const sums = async (path: string) => {
      const { DuckDBInstance } = await import("@duckdb/node-api");
      const instance = await DuckDBInstance.create(path, { access_mode: "READ_ONLY" });
      const connection = await instance.connect();
      const found: string[] = [];
      for (const table of TABLES) {
        const result = await connection.runAndReadAll(
          `select count(*) || ' ' || sum(hash(t)::hugeint) from ${table} t`,
        );
        found.push(`${table} ${String(result.getRows()[0]?.[0])}`);
      }
      connection.closeSync();
      instance.closeSync();
      return found;
    };
    expect(await sums(again)).toEqual(await sums(samplePath()));
  });
});
