import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { writeNow } from "@/lib/features/query/history-writer";
import { keptNow } from "@/lib/features/results/first-rows";
import { writeNow as writeEventsNow } from "@/lib/platform/events/publish";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call, callRaw } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { authorOf, type ConsoleAuthor } from "@/test/fixtures/consoles/console-author";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { executeConsoleRun } from "./schedule";

const dataDir = takeOwnDataDir();
const own = takeOwnDatabase();
let ana: Person;
let ben: Person;
let author: ConsoleAuthor;
let colleague: ConsoleAuthor;
let connectionId = "";
beforeAll(async () => {
  ana = await seedPerson("Ana");
  ben = await seedMember(ana.workspaceId, "member");
  author = authorOf(ana, ana.workspaceId);
  colleague = authorOf(ben, ana.workspaceId);
  const made = await call("POST", `/api/workspaces/${ana.workspaceId}/connectors`, {
    ...ana,
    body: { name: "own", type: "duckdb", config: { file: "own.duckdb" }, readOnly: false },
  });
  connectionId = made.json.data.id;
});
afterAll(async () => {
  await writeNow();
  await keptNow();
  await writeEventsNow();
  await closeServerMember("dataSources");
  await own.drop();
  dataDir.remove();
});

let made = 0;
const make = (content: string, access: "private" | "workspace" = "workspace") =>
  author.make(`c${made++}`, { content, connectionId, access });
async function run(id: string, body: Record<string, unknown> = {}, as = author) {
  const answer = await as.send("POST", `/${id}/execute`, body);
  await keptNow();
  return answer;
}
async function last(id: string, as = author) {
  const { status, json } = await as.send("GET", `/${id}/result`);
  expect(status).toBe(200);
  return json.data;
}
const eventsOf = async (id: string) => {
  await writeEventsNow();
  return collections
    .events()
    .find({ workspaceId: new ObjectId(ana.workspaceId), kind: "execution", "data.resourceId": id })
    .sort({ position: 1 })
    .toArray();
};

describe("a console's last result", () => {
  it("has the rows, text, values, author and time of the run, for everyone who sees the console", async () => {
    const { id } = await make("select {{n}}::bigint * 9007199254740993 as big, 'é' as t, [1, 2] as l, null as z");
    expect(await last(id)).toBeNull();
    const before = Date.now();
    const answer = await run(id, { variables: { n: 1 } });
    const { rows, fields, rowCount, truncated, executionId } = answer.json.data;
    const kept = await last(id, colleague);
    expect(kept).toEqual({
      executionId,
      userId: ana.id,
      runId: null,
      startedAt: expect.any(String),
      connectionId,
      statement: "select {{n}}::bigint * 9007199254740993 as big, 'é' as t, [1, 2] as l, null as z",
      variables: { n: 1 },
      fields,
      rows,
      keptRows: 1,
      rowCount,
      truncated,
      affectedRows: null,
      moreResults: 0,
      durationMs: answer.json.data.durationMs,
      databaseMs: answer.json.data.databaseMs,
    });
    expect(Date.parse(kept.startedAt)).toBeGreaterThanOrEqual(before);
    expect(await last(id)).toEqual(kept);
  });

  it("is the newest of any person and format", async () => {
    const { id } = await make("select 1 as x");
    await run(id);
    await run(id, { content: "select 2 as x" }, colleague);
    expect(await last(id)).toMatchObject({ userId: ben.id, statement: "select 2 as x", rows: [{ x: 2 }] });
    const path = `/api/workspaces/${ana.workspaceId}/consoles/${id}/execute`;
    for (const [accept, x] of [
      ["text/csv", 3],
      ["application/x-ndjson", 4],
      ["application/vnd.apache.arrow.stream", 5],
    ] as const) {
      const body = { content: `select ${x} as x from range(3)`, limit: 2 };
      await (await callRaw("POST", path, { ...ana, headers: { accept }, body })).arrayBuffer();
      await keptNow();
      expect(await last(id)).toMatchObject({ rows: [{ x }, { x }], rowCount: 2, truncated: true });
    }
  });

  it("is truncated where the response was, and has 10,000 rows of a longer one", async () => {
    const { id } = await make("select range as n from range(100)");
    const cut = await run(id, { limit: 7 });
    expect(await last(id)).toMatchObject({ rows: cut.json.data.rows, rowCount: 7, keptRows: 7, truncated: true });
    await run(id, { content: "select range as n from range(12000)", limit: 50_000 });
    const long = await last(id);
    expect([long.rowCount, long.keptRows, long.rows.length, long.truncated]).toEqual([12_000, 10_000, 10_000, false]);
    expect(long.rows.at(-1)).toEqual({ n: 9999 });
  });

  it("is kept when a run fails, has no columns, or is not stored", async () => {
    const { id } = await make("select 1 as x");
    await run(id);
    expect((await run(id, { content: "select nothing_there" })).status).toBe(400);
    expect((await run(id, { content: "explain select 1", keep: false })).status).toBe(200);
    expect(await last(id)).toMatchObject({ rows: [{ x: 1 }] });
  });

  it("is kept when the reader of a stream leaves", async () => {
    const { id } = await make("select 1 as x");
    await run(id);
    const path = `/api/workspaces/${ana.workspaceId}/consoles/${id}/execute`;
    const body = { content: "select range as n from range(3000000)" };
    const stream = await callRaw("POST", path, { ...ana, headers: { accept: "application/x-ndjson" }, body });
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.cancel();
    await keptNow();
    expect(await last(id)).toMatchObject({ rows: [{ x: 1 }] });
  });

  it("is stored for scheduled runs too, as their owner", async () => {
    const { id } = await make("select 41 + 1 as answer");
    const started = await author.send("POST", `/${id}/schedule/run`);
    const runId = started.json.data.run.id as string;
    await executeConsoleRun({ workspaceId: ana.workspaceId, runId });
    await keptNow();
    expect(await last(id)).toMatchObject({ runId, userId: ana.id, rows: [{ answer: 42 }], variables: {} });
  });

  it("does not affect the response if it can't be stored", async () => {
    const { id } = await make("select 1 as x");
    const away = vi.spyOn((await import("@/lib/features/results/collections")).collections, "resultChunks");
    away.mockImplementation(() => {
      throw new Error("away");
    });
    expect((await run(id)).json.data.rows).toEqual([{ x: 1 }]);
    away.mockRestore();
    expect(await last(id)).toBeNull();
  });
});

describe("visibility of a console's last result", () => {
  it("of a private console: its owner, who alone is notified", async () => {
    const { id } = await make("select 'secret' as s", "private");
    await run(id);
    expect(await last(id)).toMatchObject({ rows: [{ s: "secret" }] });
    expect((await colleague.send("GET", `/${id}/result`)).status).toBe(404);
    const [event, ...more] = await eventsOf(id);
    expect([event?.userId?.toHexString(), more]).toEqual([ana.id, []]);
  });

  it("of a shared console: every member is notified, without rows or text", async () => {
    const { id } = await make("select 'for all' as s");
    const { executionId } = (await run(id)).json.data;
    const [event] = await eventsOf(id);
    expect(event?.userId).toBeNull();
    expect(event?.data).toEqual({
      resourceType: "console",
      resourceId: id,
      at: expect.any(String),
      executionId,
      userId: ana.id,
      affectedRows: null,
    });
  });

  it("of one that is shared later: earlier results stay private until the next run", async () => {
    const { id } = await make("select 'of before' as s", "private");
    await run(id);
    await author.save(id, { version: 1, access: "workspace" });
    expect(await last(id, colleague)).toBeNull();
    expect(await last(id)).toMatchObject({ rows: [{ s: "of before" }] });
    await run(id);
    expect(await last(id, colleague)).toMatchObject({ rows: [{ s: "of before" }] });
    // And back: a colleague's run from the shared time stays with the console, visible to its owner only.
    await run(id, {}, colleague);
    await author.save(id, { version: 2, access: "private" });
    expect((await colleague.send("GET", `/${id}/result`)).status).toBe(404);
    expect(await last(id)).toMatchObject({ userId: ben.id });
  });

  it("is deleted with the console, also for a run that ends later, and is not restored", async () => {
    const { id } = await make("select 1 as x");
    await run(id);
    await author.send("DELETE", `/${id}`);
    const kept = () => collections.results().countDocuments({ "latest.ownerId": new ObjectId(id) });
    expect(await kept()).toBe(0);
    await author.send("POST", `/${id}/restore`, {});
    expect(await last(id)).toBeNull();
    const answer = author.send("POST", `/${id}/execute`, {});
    await answer;
    await author.send("DELETE", `/${id}`);
    await keptNow();
    expect(await kept()).toBe(0);
  });

  it("allows a key of the workspace, also a read-only one", async () => {
    const { id } = await make("select 1 as x");
    await run(id);
    const reader = authorOf({ key: await seedKey(ana.workspaceId, ana, "read") }, ana.workspaceId);
    expect(await last(id, reader)).toMatchObject({ rows: [{ x: 1 }] });
  });

  it("adds nothing to the history", async () => {
    const { id } = await make("select 'in the ' || 'rows' as s");
    await run(id);
    await writeNow();
    const docs = await collections.executions().find({}).toArray();
    expect(JSON.stringify(docs)).not.toContain("in the rows");
  });
});
