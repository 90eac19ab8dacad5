import { randomUUID } from "node:crypto";
import { type CommandStartedEvent, ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { mongoClient } from "@/lib/platform/db/client";
import { databaseReady } from "@/lib/platform/db/ready";
import { takeOwnDatabase } from "@/test/database";
import { callerIn } from "@/test/fixtures/access/caller";
import { ADHOC, NOTHING_VISIBLE } from "@/test/fixtures/query/origins";
import { type ExecutionEnd, type ExecutionStart, listExecutions, startExecution } from "./executions";
import { writeNow } from "./history-writer";

/** Maximum delay of history (docs/develop/api.md, Queries), with room for a busy machine. */
const SOON_MS = 5000;

const database = takeOwnDatabase();
// The driver reports events only on request, and only for connections opened after it.
const uri = new URL(process.env.MONGODB_URI ?? "");
uri.searchParams.set("monitorCommands", "true");
process.env.MONGODB_URI = uri.toString();

const success: ExecutionEnd = { status: "success", durationMs: 1, rowCount: 1, affectedRows: null, error: null };
const writes: string[] = [];
let workspaceId: ObjectId;

beforeAll(async () => {
  await databaseReady();
  mongoClient().on("commandStarted", ({ commandName, command }: CommandStartedEvent) => {
    if (["insert", "update"].includes(commandName) && command[commandName] === "executions") writes.push(commandName);
  });
});
beforeEach(async () => {
  await writeNow();
  workspaceId = new ObjectId();
  writes.length = 0;
});
afterAll(async () => {
  await writeNow();
  await database.drop();
});

function start(rest: Partial<ExecutionStart> = {}, caller = callerIn(workspaceId)) {
  return startExecution(caller, {
    connectionId: new ObjectId(),
    queryText: "select 1",
    format: "json",
    executionId: undefined,
    origin: ADHOC,
    cancel: () => {},
    ...rest,
  });
}

async function runOne(rest: Partial<ExecutionStart> = {}, caller = callerIn(workspaceId)): Promise<string> {
  const record = await start(rest, caller);
  record.running();
  record.end(success);
  return record.executionId;
}

/** Returns the list as an admin sees it. */
const listAll = (of: ObjectId) => listExecutions(callerIn(of, { role: "admin" }), {}, NOTHING_VISIBLE);

const stored = () => collections.executions().find({ workspaceId }).toArray();

describe("query history", () => {
  it("groups writes: two hundred queries take few, each visible within a second", async () => {
    const ids = await Promise.all(Array.from({ length: 200 }, () => runOne()));
    expect(writes).toEqual([]);
    await vi.waitFor(async () => expect(await stored()).toHaveLength(200), SOON_MS);
    expect(new Set((await stored()).map(({ executionId }) => executionId))).toEqual(new Set(ids));
    expect((await stored()).map(({ status }) => status)).toEqual(Array(200).fill("success"));
    expect(writes.length).toBeLessThan(5);
  });

  it("shows one's own query in the list at once", async () => {
    const executionId = await runOne();
    expect((await listAll(workspaceId)).items).toMatchObject([{ executionId, status: "success" }]);
  });

  it("shows a long query while it runs, so that every server can cancel it", async () => {
    const cancel = vi.fn();
    const record = await start({ cancel });
    record.running();
    await vi.waitFor(async () => expect(await stored()).toMatchObject([{ status: "running" }]), SOON_MS);
    await collections.executions().updateOne({ workspaceId }, { $set: { cancelRequested: true } });
    await vi.waitFor(() => expect(cancel).toHaveBeenCalled(), SOON_MS);
    record.end({ ...success, status: "cancelled" });
    await writeNow();
    // The request stays beside the end: a server's write does not undo another server's.
    expect(await stored()).toMatchObject([{ status: "cancelled", cancelRequested: true }]);
  });

  it("writes later what the store rejected", async () => {
    const refused = vi.spyOn(collections.executions().constructor.prototype, "bulkWrite");
    refused.mockRejectedValueOnce(new Error("away"));
    const executionId = await runOne();
    await writeNow();
    expect(await stored()).toEqual([]);
    await vi.waitFor(async () => expect(await stored()).toMatchObject([{ executionId }]), SOON_MS);
    expect(refused).toHaveBeenCalledTimes(2);
    refused.mockRestore();
  });
});

describe("an executionId is unique", () => {
  it("for one of a hundred concurrent requests", async () => {
    const executionId = randomUUID();
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => runOne({ executionId })));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const each of outcomes) {
      if (each.status === "rejected") expect(each.reason).toMatchObject({ kind: "conflict" });
    }
    await writeNow();
    expect(await stored()).toMatchObject([{ executionId, status: "success" }]);
  });

  it("from the start, by a record that other servers see", async () => {
    const executionId = randomUUID();
    const record = await start({ executionId });
    expect(await stored()).toMatchObject([{ executionId, status: "queued" }]);
    record.end(success);
    await expect(runOne({ executionId })).rejects.toMatchObject({ kind: "conflict" });
    await writeNow();
    await expect(runOne({ executionId })).rejects.toMatchObject({ kind: "conflict" });
  });

  it("also against earlier local ones, written or not", async () => {
    const record = await start();
    const again = () => expect(start({ executionId: record.executionId })).rejects.toMatchObject({ kind: "conflict" });
    await again();
    record.end(success);
    await again();
    await writeNow();
    await again();
  });

  it("in its workspace: another one may use it", async () => {
    const executionId = randomUUID();
    await runOne({ executionId });
    await expect(runOne({ executionId }, callerIn(new ObjectId()))).resolves.toBe(executionId);
  });

  it("and a claim from another server removes no query from the history", async () => {
    const other = await sample();
    const executionId = await runOne();
    // Before this server has written its record.
    const claim = `${workspaceId.toHexString()}:${executionId}`;
    await collections.executions().insertOne({ ...other, executionId, claim, queryText: "select 2" });
    await writeNow();
    expect((await stored()).map(({ queryText }) => queryText).sort()).toEqual(["select 1", "select 2"]);
  });
});

/** Writes a record like another server. */
async function sample() {
  const other = new ObjectId();
  await runOne({}, callerIn(other));
  const { items } = await listAll(other);
  const doc = await collections.executions().findOne({ workspaceId: other, executionId: items[0]?.executionId });
  if (!doc) throw new Error("The record is not there.");
  return { ...doc, _id: new ObjectId(), workspaceId };
}
