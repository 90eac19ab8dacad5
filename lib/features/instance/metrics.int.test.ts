import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { env } from "@/lib/platform/env";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedPerson } from "@/test/seed";
import { declareGauges } from "./gauges";
import { setHealthCheck } from "./health";
import { serveMetrics } from "./metrics-endpoint";

const own = takeOwnDatabase();
const TOKEN = "a-token-of-prometheus";
let ana: Person;

beforeAll(async () => {
  declareGauges();
  ana = await seedPerson();
});
afterEach(() => {
  Object.assign(env(), { METRICS_TOKEN: undefined });
  setHealthCheck("jobs", async () => {});
});
afterAll(() => own.drop());

function scrape(headers: Record<string, string> = {}, method = "GET"): Promise<Response> {
  return serveMetrics(new Request("http://localhost/metrics", { method, headers }));
}

/** As the route gets them: Next adds X-Forwarded-For itself. */
const LOCAL = {
  "x-millrace-remote-address": "127.0.0.1",
  "x-millrace-proxied": "no",
  "x-forwarded-for": "127.0.0.1",
};

/** Returns the values of one metric by its labels. */
async function read(name: string): Promise<Record<string, number>> {
  const text = await (await scrape(LOCAL)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return Object.fromEntries(
    lines.map((line) => [line.slice(name.length, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}

describe("C49 access to the metrics", () => {
  it.each<[string, Record<string, string>, number]>([
    ["this machine", LOCAL, 200],
    ["this machine by IPv6", { ...LOCAL, "x-millrace-remote-address": "::1" }, 200],
    ["another machine", { ...LOCAL, "x-millrace-remote-address": "192.0.2.7" }, 404],
    ["a private network", { ...LOCAL, "x-millrace-remote-address": "10.0.0.7" }, 404],
    ["nobody knows who", {}, 404],
    ["a proxy on this machine", { ...LOCAL, "x-millrace-proxied": "yes" }, 404],
    ["this machine, without a word on proxies", { "x-millrace-remote-address": "127.0.0.1" }, 404],
  ])("C49 without a token, %s", async (_, headers, status) => {
    expect((await scrape(headers)).status).toBe(status);
  });

  it.each<[string, Record<string, string>, number]>([
    ["the token from anywhere", { "x-millrace-remote-address": "192.0.2.7", authorization: `Bearer ${TOKEN}` }, 200],
    ["the token through a proxy", { "x-forwarded-for": "192.0.2.7", authorization: `bearer ${TOKEN}` }, 200],
    ["this machine without it", LOCAL, 401],
    ["a wrong one", { ...LOCAL, authorization: "Bearer a-token-of-someone-else" }, 401],
    ["a part of it", { ...LOCAL, authorization: `Bearer ${TOKEN.slice(0, -1)}` }, 401],
    ["another scheme", { ...LOCAL, authorization: `Basic ${TOKEN}` }, 401],
  ])("C49 with METRICS_TOKEN, %s", async (_, headers, status) => {
    Object.assign(env(), { METRICS_TOKEN: TOKEN });
    const answer = await scrape(headers);
    expect(answer.status).toBe(status);
    expect(await answer.text()).not.toContain(TOKEN);
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS"])("C49 answers 405 to %s", async (method) => {
    const answer = await scrape(LOCAL, method);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("C49 the metrics", () => {
  it("C49 count requests by route, not by ID, and status", async () => {
    const path = `/api/workspaces/${ana.workspaceId}/connectors`;
    const label = '{method="GET",route="/api/workspaces/{workspaceId}/connectors",status="200"}';
    const before = (await read("millrace_http_requests_total"))[label] ?? 0;
    await call("GET", path, { cookie: ana.cookie });
    await call("GET", path, {});
    const after = await read("millrace_http_requests_total");
    expect(after[label]).toBe(before + 1);
    expect(after[label.replace("200", "401")]).toBe(1);
    expect(Object.keys(after).join()).not.toContain(ana.workspaceId);
  });

  it("C49 count queries by outcome", async () => {
    const connections = (await call("GET", `/api/workspaces/${ana.workspaceId}/connectors`, { cookie: ana.cookie }))
      .json;
    const path = `/api/workspaces/${ana.workspaceId}/databases/${connections.data[0].id}/execute`;
    const ask = (query: string) => call("POST", path, { cookie: ana.cookie, body: { query } });
    expect([(await ask("select 1")).status, (await ask("select nothing")).status]).toEqual([200, 400]);
    expect(await read("millrace_queries_total")).toEqual({ '{outcome="success"}': 1, '{outcome="failure"}': 1 });
    expect(Object.keys(await read("millrace_query_duration_seconds_count"))).toHaveLength(2);
    expect(await read("millrace_queries")).toEqual({ '{state="running"}': 0, '{state="waiting"}': 0 });
    expect(await read("millrace_file_engines")).toEqual({ "": 1 });
  });

  it("C49 have the store, jobs, deliveries, streams and the process itself", async () => {
    expect(await read("millrace_up")).toEqual({ '{part="store"}': 1, '{part="jobs"}': 1 });
    expect((await read("millrace_store_ping_seconds"))[""]).toBeGreaterThan(0);
    expect(Object.keys(await read("millrace_jobs"))).toHaveLength(6);
    expect(await read("millrace_deliveries_open")).toEqual({ '{state="queued"}': 0, '{state="due"}': 0 });
    expect(await read("millrace_event_streams")).toEqual({ "": 0 });
    expect((await read("process_resident_memory_bytes"))[""]).toBeGreaterThan(0);
    expect(Object.keys(await read("nodejs_eventloop_lag_p99_seconds"))).toHaveLength(1);
  });

  it("C49 still respond while a component is unavailable", async () => {
    setHealthCheck("jobs", () => Promise.reject(new Error("away")));
    expect(await read("millrace_up")).toEqual({ '{part="store"}': 1, '{part="jobs"}': 0 });
  });
});

describe("C48 live and ready", () => {
  it.each(["disk", "mongo", "jobs"] as const)("C48 a server with a failing %s is alive and not ready", async (part) => {
    setHealthCheck(part, () => Promise.reject(new Error("away")));
    const [live, ready, health] = await Promise.all(
      ["/api/health/live", "/api/health/ready", "/api/health"].map((path) => call("GET", path)),
    );
    setHealthCheck(part, async () => {});
    expect([live?.status, live?.json]).toEqual([200, { status: "ok", version: expect.any(String) }]);
    expect([ready?.status, ready?.json.failing]).toEqual([503, part]);
    expect(health?.json).toEqual(ready?.json);
  });

  it("C48 a healthy server is both", async () => {
    const [live, ready] = await Promise.all([call("GET", "/api/health/live"), call("GET", "/api/health/ready")]);
    expect([live.status, ready.status, ready.json.status]).toEqual([200, 200, "ok"]);
  });
});
