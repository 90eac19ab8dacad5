import { afterEach, describe, expect, it, vi } from "vitest";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { authApi } from "@/lib/features/accounts/browser/auth";
import { connectionsApi } from "@/lib/features/connections/browser/client";
import { api } from "@/lib/features/query/browser/api";
import { toExecuteRequest } from "@/lib/features/query/browser/execute";
import { workspaceApi } from "@/lib/features/workspaces/browser/client";
import { readConnectivity, reportReachable, reportUnreachable } from "@/lib/platform/browser/connectivity";
import type { ListPage } from "@/lib/platform/browser/lists";
import { ping } from "@/lib/platform/browser/ping";
import { ApiError } from "@/lib/platform/browser/request";

function answer(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const fetch = vi.fn(async (_url: string, _init?: RequestInit) => new Response(text, { status, headers }));
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

afterEach(() => {
  vi.unstubAllGlobals();
  reportReachable();
});

const REQUEST = toExecuteRequest({ workspaceId: "w", connectionId: "c", bound: null }, "select 1", {
  executionId: "x",
  limit: 10,
});

describe("the API client", () => {
  it("returns the data of a success, and the size of a query's response", async () => {
    const body = { success: true, data: { executionId: "x", rows: [], fields: [], rowCount: 0 } };
    const fetch = answer(200, body);
    const result = await api.execute(REQUEST);
    expect(result).toMatchObject({ rowCount: 0, bytes: JSON.stringify(body).length });
    const [url, init] = fetch.mock.calls[0] ?? [];
    expect(url).toBe("/api/workspaces/w/databases/c/execute");
    expect(JSON.parse(String(init?.body))).toEqual({ query: "select 1", executionId: "x", limit: 10 });
  });

  it("throws status, code, message and details of a failure", async () => {
    answer(400, { success: false, code: "query_failed", error: "no such column", details: { position: 8 } });
    const error = await api.listConnections("w", null).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 400,
      code: "query_failed",
      message: "no such column",
      details: { position: 8 },
      problems: [],
    });
  });

  it("lists input problems and the retry time", async () => {
    const details = [{ path: "email", message: "Enter an address." }];
    answer(429, { success: false, code: "rate_limited", error: "Too many.", details }, { "retry-after": "30" });
    const error = await authApi.login({ email: "a", password: "b" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ problems: details, retryAfterSeconds: 30 });
  });

  it("ignores responses that were sent before the connection was lost", async () => {
    let arrive = () => {};
    const sent = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const fetch = vi.fn(async () => {
      await sent;
      return new Response(JSON.stringify({ success: true, data: [] }));
    });
    vi.stubGlobal("fetch", fetch);
    const old = api.listConnections("w", null);
    reportUnreachable();
    arrive();
    await old;
    expect(readConnectivity().isOnline).toBe(false);
    await api.listConnections("w", null);
    expect(readConnectivity().isOnline).toBe(true);
  });

  it.each<[string, (cursor: string | null) => Promise<ListPage<unknown[]>>]>([
    ["connections", (cursor) => api.listConnections("w", cursor)],
    ["files", (cursor) => connectionsApi.listFiles("w", cursor)],
    ["API keys", (cursor) => workspaceApi.listApiKeys("w", cursor)],
    ["invitations", (cursor) => workspaceApi.listInvites("w", cursor)],
    ["connected apps", (cursor) => workspaceApi.listConnectedApps("w", cursor)],
    ["sessions", (cursor) => accountApi.listSessions(cursor)],
  ])("reads one page of %s, with the cursor of the next one", async (_, list) => {
    const fetch = answer(200, { success: true, data: [{ id: "1" }] }, { "x-next-cursor": "b/2" });
    expect(await list(null)).toEqual({ data: [{ id: "1" }], nextCursor: "b/2" });
    await list("b/2");
    expect(fetch.mock.calls.map(([url]) => url.split("?")[1])).toEqual(["limit=100", "limit=100&cursor=b%2F2"]);
  });

  it("does not take a web page for a response", async () => {
    answer(502, "<html>Bad gateway</html>");
    await expect(authApi.logout()).rejects.toMatchObject({ status: 502, code: "internal" });
    answer(200, "<html>Sign in to the network</html>");
    await expect(authApi.logout()).rejects.toMatchObject({ code: "internal" });
  });

  it("reports unreachable until something answers", async () => {
    vi.stubGlobal(
      "fetch",
      vi.fn(async () => Promise.reject(new TypeError("fetch failed"))),
    );
    await expect(api.listConnections("w", null)).rejects.toMatchObject({ status: 0, code: "unreachable" });
    expect(readConnectivity().isOnline).toBe(false);
    answer(200, { success: true, data: [] });
    await api.listConnections("w", null);
    expect(readConnectivity().isOnline).toBe(true);
  });

  it("treats a proxy's page, and a stopping server, as unreachable", async () => {
    reportUnreachable();
    answer(502, "<html>Bad gateway</html>");
    await expect(authApi.logout()).rejects.toMatchObject({ status: 502 });
    expect(readConnectivity().isOnline).toBe(false);
    await expect(ping()).rejects.toThrow();
    answer(503, { status: "unavailable", failing: "shutdown" });
    await expect(ping()).rejects.toThrow();
    answer(503, { status: "unavailable", failing: "mongo" });
    await ping();
  });

  it("knows since when nothing answers, over retries", () => {
    reportUnreachable(1000);
    reportUnreachable(5000);
    expect(readConnectivity()).toMatchObject({ isOnline: false, lacks: "server", since: 1000, retryAt: 13_000 });
  });

  it("dates the shown data by the last response", () => {
    reportUnreachable(30_000, 5000);
    expect(readConnectivity()).toMatchObject({ isOnline: false, since: 5000, retryAt: 38_000 });
  });

  it("passes the caller's own abort through", async () => {
    const stop = new AbortController();
    vi.stubGlobal("fetch", async () => {
      stop.abort();
      throw new DOMException("Aborted", "AbortError");
    });
    await expect(api.listConnections("w", null, stop.signal)).rejects.toMatchObject({ name: "AbortError" });
    expect(readConnectivity().isOnline).toBe(true);
  });
});
