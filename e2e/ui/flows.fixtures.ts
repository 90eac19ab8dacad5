import { createHmac } from "node:crypto";
import type { APIRequestContext, Page } from "@playwright/test";
import { expect } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

/** Creates the connections and flows of the user's workspace that a test needs. */
export type FlowBench = {
  home: string;
  sample: string;
  into: string;
  /** Creates a flow and returns the answer's data. */
  make: (
    body: Record<string, unknown>,
    request?: APIRequestContext,
  ) => Promise<{ flow: Flow; run: { id: string } | null }>;
};
type Flow = { id: string; name: string; updatedAt: string };

/** @param name of the file that flows write to */
export async function flowBench(request: APIRequestContext, name = "warehouse"): Promise<FlowBench> {
  const home = `/api/workspaces/${await workspaceIdOf(request)}`;
  const post = async (path: string, data: unknown, by = request) => {
    const answer = await by.post(home + path, { data });
    expect(answer.status(), await answer.text()).toBeLessThan(300);
    return (await answer.json()).data;
  };
  const sample = (await (await request.get(`${home}/connectors`)).json()).data[0].id;
  const file = { name, type: "sqlite", config: { file: `${name}.sqlite` }, readOnly: false };
  const into = (await post("/connectors", file)).id;
  return {
    home,
    sample,
    into,
    make: (body, by) => {
      const source = { connectionId: sample, entities: [{ name: "products", primaryKey: "id" }] };
      const destination = { connectionId: into, write: "replace" };
      return post("/flows", { name: "Products", type: "sync", source, destination, trigger: false, ...body }, by);
    },
  };
}

/** Returns a query that runs until it is cancelled: far more rows than a test waits for. */
export function endless(sample: string): Record<string, unknown> {
  const query = "select i, repeat('x', 200) as x from range(2000000000) t(i)";
  return { name: "Without an end", type: "query", source: { connectionId: sample, query } };
}

/** Sends an event that is signed as in the page's example. */
export async function sendSigned(page: Page, url: string, secret: string, body: string): Promise<number> {
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const answer = await page.request.post(new URL(url).pathname, {
    headers: { "content-type": "application/json", "x-service-signature": signature },
    data: body,
  });
  return answer.status();
}
