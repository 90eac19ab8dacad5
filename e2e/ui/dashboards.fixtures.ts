import type { APIRequestContext } from "@playwright/test";
import { expect } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

type Made = { id: string; title: string };

/** Creates datasets and dashboards in a workspace, over its sample shop. */
export async function dashboardBench(request: APIRequestContext) {
  const wid = await workspaceIdOf(request);
  const root = `/api/workspaces/${wid}/dashboards`;
  const connections = await (await request.get(`/api/workspaces/${wid}/connectors`)).json();
  const sample: string = connections.data.find(({ name }: { name: string }) => name === "Sample shop").id;
  const post = async <T>(url: string, data: object): Promise<T> => {
    const answer = await request.post(url, { data });
    expect(answer.status(), await answer.text()).toBe(201);
    return (await answer.json()).data;
  };
  return {
    wid,
    sample,
    root,
    make: (body: object) => post<Made>(root, body),
    makeFolder: (body: object) => post<Made>(`${root}/folders`, body),
    /** Removes the initial contents of a new workspace. */
    removeAll: async () => {
      const { data } = await (await request.get(root)).json();
      for (const { id } of data as Made[]) expect((await request.delete(`${root}/${id}`)).status()).toBe(200);
    },
    read: async (id: string) => (await (await request.get(`${root}/${id}`)).json()).data,
  };
}

/** Forty rows for checks by mental arithmetic: two regions, two channels, and ten days of each. */
export const SALES = `select
  ('2026-03-' || lpad(((i // 4) + 1)::varchar, 2, '0'))::date as day,
  case when i % 2 = 0 then 'north' else 'south' end as region,
  case when i % 4 < 2 then 'web' else 'shop' end as channel,
  ((i % 4) + 1)::decimal(10, 2) as amount
from range(40) t(i)`;

/** Returns widgets of all kinds over those rows, and one that fails. */
export function salesBoard(connectionId: string, more: object = {}) {
  const source = { datasetId: "sales" };
  const sum = { field: "amount", op: "sum", as: "revenue" };
  return {
    title: "Shop pulse",
    datasets: [{ id: "sales", name: "Sales", source: { connectionId, query: SALES } }],
    widgets: [
      { id: "total", kind: "kpi", title: "Revenue", source, spec: { measures: [sum], prefix: "€" }, layout: { x: 0, y: 0, w: 3, h: 3 } }, // biome-ignore format: one look
      { id: "count", kind: "kpi", title: "Orders", source, spec: { measures: [{ op: "count", as: "orders" }] }, layout: { x: 3, y: 0, w: 3, h: 3 } }, // biome-ignore format: one look
      { id: "note", kind: "text", title: "", spec: { text: "## Read me\n\nAll amounts are **net**." }, layout: { x: 6, y: 0, w: 6, h: 3 } }, // biome-ignore format: one look
      { id: "days", kind: "chart", title: "Revenue by day", source, spec: { dimensions: ["day"], measures: [sum], mark: "line" }, layout: { x: 0, y: 3, w: 8, h: 7 } }, // biome-ignore format: one look
      { id: "regions", kind: "chart", title: "By region", source, spec: { dimensions: ["region", "channel"], measures: [sum], mark: "bar" }, layout: { x: 8, y: 3, w: 4, h: 7 } }, // biome-ignore format: one look
      { id: "rows", kind: "table", title: "By channel", source, spec: { dimensions: ["channel"], measures: [sum, { op: "count", as: "orders" }], totals: true }, layout: { x: 0, y: 10, w: 8, h: 5 } }, // biome-ignore format: one look
      { id: "broken", kind: "table", title: "Broken", source: { connectionId, query: "select * from no_such_table" }, spec: {}, layout: { x: 8, y: 10, w: 4, h: 5 } }, // biome-ignore format: one look
    ],
    filters: [
      { id: "when", kind: "dateRange", field: "day", title: "Day", datasets: ["sales"] },
      { id: "region", kind: "select", field: "region", title: "Region", datasets: ["sales"] },
      { id: "channel", kind: "multiSelect", field: "channel", title: "Channel", datasets: ["sales"] },
      { id: "find", kind: "search", field: "region", title: "Region holds", datasets: ["sales"] },
    ],
    ...more,
  };
}
