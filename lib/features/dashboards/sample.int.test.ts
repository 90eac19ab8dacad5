import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeNow } from "@/lib/features/query/history-writer";
import { beginWorkspacesBy } from "@/lib/features/workspaces/beginning";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { createSampleDashboard } from "./sample";
import type { Dashboard, WidgetData } from "./schema";

const own = takeOwnDatabase();
let owner: Person;
beforeAll(async () => {
  await databaseReady();
  beginWorkspacesBy(createSampleDashboard);
  owner = await seedPerson("Owner");
});
afterAll(async () => {
  await closeServerMember("crossfilterTables");
  await closeServerMember("dataSources");
  await writeNow();
  await own.drop();
});

const list = async (workspaceId: string, who: Person) =>
  (await call("GET", `/api/workspaces/${workspaceId}/dashboards`, who)).json.data as Dashboard[];

describe("a new workspace", () => {
  it("has a dashboard over the sample shop, visible to every member", async () => {
    const [sample, ...others] = await list(owner.workspaceId, owner);
    expect([sample?.title, sample?.access, sample?.ownerId, others]).toEqual([
      "Sales overview",
      "workspace",
      owner.id,
      [],
    ]);
    const member = await seedMember(owner.workspaceId, "member");
    expect((await list(owner.workspaceId, member)).map(({ id }) => id)).toEqual([sample?.id]);
    const second = await call("POST", "/api/workspaces", { cookie: owner.cookie, body: { name: "Second" } });
    expect(await list(second.json.data.id, owner)).toMatchObject([{ title: "Sales overview" }]);
  });

  it("has correct data in each of its widgets, and filter values", async () => {
    const [sample] = await list(owner.workspaceId, owner);
    const base = `/api/workspaces/${owner.workspaceId}`;
    const path = `${base}/dashboards/${sample?.id}`;
    const answer = await call("GET", `${path}/data`, owner);
    expect(answer.status, answer.text).toBe(200);
    const widgets = new Map((answer.json.data.widgets as WidgetData[]).map((widget) => [widget.id, widget]));
    for (const [id, { error, rows, truncated }] of widgets) {
      expect([id, error, truncated && id !== "top-products"]).toEqual([id, undefined, false]);
      expect(rows.length).toBeGreaterThan(0);
    }
    expect([...widgets.keys()]).toHaveLength(7);
    // The shop's own figures, computed in another way.
    const { id: connectionId } = (await call("GET", `${base}/connectors`, owner)).json.data[0];
    const query = `select count(*) as orders, (sum(total_cents) / 100.0)::decimal(18, 2)::varchar as revenue
      from orders where status <> 'cancelled'`;
    const asked = await call("POST", `${base}/databases/${connectionId}/execute`, {
      cookie: owner.cookie,
      body: { query },
    });
    const [shop] = asked.json.data.rows;
    const sum = (id: string) =>
      (widgets.get(id)?.rows ?? []).reduce((all, row) => all + Number(row[id]), 0).toFixed(id === "revenue" ? 2 : 0);
    expect([sum("revenue"), sum("orders")]).toEqual([shop.revenue, String(shop.orders)]);
    expect(widgets.get("by-month")?.rows).toHaveLength(34);
    expect(widgets.get("top-products")?.rows).toHaveLength(10);
    for (const [filter, count] of [
      ["country", 16],
      ["category", 9],
    ]) {
      const { values } = (await call("GET", `${path}/filters/${filter}/values`, owner)).json.data;
      expect(values).toHaveLength(Number(count));
    }
  });
});
