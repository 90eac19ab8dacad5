import { afterEach, describe, expect, it, vi } from "vitest";
import { writeActivity } from "@/components/activity/write-activity";
import type { ActivityFilter } from "@/lib/features/runs/browser/activity";

const STORED = 100_000;
const PAGE = 50;
const ALL: ActivityFilter = { kind: null, state: null, userId: null, connectionId: null, period: null, text: "" };
const timeOf = (n: number) => new Date(Date.UTC(2026, 0, 1) - n * 1000).toISOString();
const toRun = (n: number) => ({ id: `r${n}`, resourceType: "flow", resourceName: `Flow ${n}`, createdAt: timeOf(n), status: "success", triggeredBy: null, error: null, rowCount: n, durationMs: 1 }); // biome-ignore format: one look
const toExecution = (runId: string | null) => (n: number) => ({ executionId: `e${n}`, runId, query: `select ${n}`, startedAt: timeOf(n), status: "success", userId: "u1", error: null, affectedRows: null, rowCount: n, durationMs: 1 }); // biome-ignore format: one look

/** Serves pages of stored items, and counts requests. */
function serve(itemsOf: Record<string, (n: number) => object>): { requests: string[] } {
  const requests: string[] = [];
  vi.stubGlobal("fetch", async (url: string, { signal }: RequestInit) => {
    signal?.throwIfAborted();
    requests.push(url);
    const { pathname, searchParams } = new URL(url, "http://localhost");
    // Ben has left.
    if (searchParams.has("ids"))
      return Response.json({ success: true, data: { members: [{ userId: "u1", name: "Ana" }] } });
    const toItem = Object.entries(itemsOf).find(([path]) => pathname.endsWith(path))?.[1];
    const from = Number(searchParams.get("cursor") ?? 0);
    const items = toItem ? Array.from({ length: Math.min(PAGE, STORED - from) }, (_, n) => toItem(from + n)) : [];
    const next = from + PAGE;
    return Response.json({ success: true, data: { items, nextCursor: toItem && next < STORED ? String(next) : null } });
  });
  return { requests };
}

/** A file that keeps no more than the sizes of what it was given. */
function sink() {
  const given = { lines: 0, largest: 0, first: "" };
  const write = async (bytes: Uint8Array) => {
    const text = new TextDecoder().decode(bytes);
    given.first ||= text.split("\n").find((line) => line !== "") ?? "";
    given.lines += text.split("\n").length - 1;
    given.largest = Math.max(given.largest, bytes.length);
  };
  return { given, write };
}

afterEach(() => vi.unstubAllGlobals());

describe("an export of 100,000 entries of activity", () => {
  it("writes the latest 10,000 page by page, and reads no further", async () => {
    const { requests } = serve({
      "/runs": (n) => ({ ...toRun(n), triggeredBy: "u2" }),
      "/executions": toExecution(null),
    });
    const { given, write } = sink();
    const counts: number[] = [];
    const result = await writeActivity("w", ALL, "ndjson", { write }, new AbortController().signal, (n) =>
      counts.push(n),
    );
    expect(result).toEqual({ lines: 10_000, isCut: true });
    expect(given.lines).toBe(10_000);
    // Two lists of 50, with up to 300 bytes per line.
    expect(given.largest).toBeLessThan(2 * PAGE * 300);
    // 10,000 items of two lists, and the names of two users in one request.
    expect(requests.filter((url) => url.includes("ids="))).toHaveLength(1);
    expect(requests.length).toBeLessThan(10_000 / PAGE + 10);
    expect(counts.every((count, n) => count >= (counts[n - 1] ?? 0))).toBe(true);
  });

  it("ends after 50,000 items of which none is an entry", async () => {
    const { requests } = serve({ "/executions": toExecution("r1") });
    const { given, write } = sink();
    const signal = new AbortController().signal;
    const result = await writeActivity("w", { ...ALL, kind: "query" }, "csv", { write }, signal, () => {});
    expect([result, given.lines]).toEqual([{ lines: 0, isCut: true }, 1]);
    expect(requests).toHaveLength(50_000 / PAGE);
  });

  it("ends when it is cancelled, also while no item is an entry", async () => {
    for (const runId of [null, "r1"]) {
      const { requests } = serve({ "/executions": toExecution(runId) });
      const controller = new AbortController();
      let parts = 0;
      const onWritten = () => {
        parts += 1;
        if (parts === 3) controller.abort();
      };
      const { write } = sink();
      const filter = { ...ALL, kind: "query" } as const;
      const exported = writeActivity("w", filter, "csv", { write }, controller.signal, onWritten);
      await expect(exported).rejects.toThrow();
      expect(requests.filter((url) => url.includes("/executions"))).toHaveLength(3);
    }
  });

  it("reads no page beyond the requested period", async () => {
    const { requests } = serve({ "/runs": (n) => ({ ...toRun(n), createdAt: new Date(Date.now() - n * 60_000).toISOString() }) }); // biome-ignore format: one look
    const { given, write } = sink();
    const signal = new AbortController().signal;
    const result = await writeActivity(
      "w",
      { ...ALL, kind: "flow", period: "day" },
      "csv",
      { write },
      signal,
      () => {},
    );
    expect(result.isCut).toBe(false);
    expect(given.lines).toBe(24 * 60 + 2);
    expect(requests).toHaveLength(Math.ceil((24 * 60 + 1) / PAGE));
  });
});
