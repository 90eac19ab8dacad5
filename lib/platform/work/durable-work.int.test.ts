import { ObjectId } from "mongodb";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { declareCollection } from "@/lib/platform/db/collection";
import { databaseReady } from "@/lib/platform/db/ready";
import { takeOwnDatabase } from "@/test/database";
import { DurableWork, releaseStages, SUCCEEDED } from "./durable-work";
import { type Claim, heartbeat } from "./heartbeat";
import { LEASE_MS, SWEEP_MS, TAKE_UP_MS, WAKE_AGAIN_MS } from "./limits";
import { type WithWork, workIndex } from "./model";

type Doc = WithWork & { result?: string };
const own = takeOwnDatabase();
const docs = declareCollection<Doc>("work_test", { isOfWorkspace: true, indexes: [workIndex("this test")] });
const work = new DurableWork(docs);
const workspaceId = new ObjectId();
const claims: Claim[] = [];
beforeAll(() => databaseReady());
afterEach(async () => {
  for (const claim of claims.splice(0)) claim.drop();
  await docs().deleteMany({});
});
afterAll(() => own.drop());

/** Moves the store's time forward for all documents. */
const passTime = (ms: number) =>
  docs().updateMany({ "work.dueAt": { $exists: true } }, [
    { $set: { "work.dueAt": { $subtract: ["$work.dueAt", ms] } } },
  ]);
const stored = (_id: ObjectId) => docs().findOne({ _id, workspaceId });

async function begun(): Promise<{ _id: ObjectId; claim: Claim }> {
  const _id = new ObjectId();
  await docs().insertOne({ _id, workspaceId });
  return { _id, claim: await claimed(_id) };
}

async function claimed(_id: ObjectId): Promise<Claim> {
  const taken = await work.claim({ _id, workspaceId });
  if (!taken) throw new Error("The work is held.");
  claims.push(taken.claim);
  return taken.claim;
}

async function swept(): Promise<string[]> {
  const found: string[] = [];
  await work.sweep(async (due) => void found.push(...due.map(({ _id }) => _id.toHexString())));
  return found;
}

describe("a claim", () => {
  it("is granted to one of many concurrent callers, and not to another workspace", async () => {
    const _id = new ObjectId();
    await docs().insertOne({ _id, workspaceId });
    const tries = await Promise.all(Array.from({ length: 20 }, () => work.claim({ _id, workspaceId })));
    const granted = tries.filter((each) => each !== null);
    claims.push(...granted.map(({ claim }) => claim));
    expect(granted).toHaveLength(1);
    expect(granted[0]?.doc.work).toMatchObject({ starts: 1, lapses: 0 });
    expect(await work.claim({ _id, workspaceId: new ObjectId() })).toBeNull();
  });

  it("lapses after exactly a lease of the store's clock", async () => {
    const { _id } = await begun();
    const { dueAt, claim } = (await stored(_id))?.work ?? {};
    expect(Number(dueAt) - Number(claim?.at)).toBe(LEASE_MS);
  });

  it("fences a former holder: its writes and its end change nothing, and its signal aborts", async () => {
    const { _id, claim } = await begun();
    await passTime(LEASE_MS + 1000);
    const taken = await claimed(_id);
    expect(await work.finish(claim, [{ $set: { result: "old" } }])).toBeNull();
    expect(await work.update(claim, [{ $set: { result: "old" } }])).toBeNull();
    expect(claim.stopped).toBe("lost");
    expect(await stored(_id)).toMatchObject({ work: { starts: 2, lapses: 1 } });
    expect(await work.finish(taken, [{ $set: { result: "new" } }])).toMatchObject({ result: "new" });
    expect((await stored(_id))?.work).toEqual({ starts: 2, lapses: 1, fruitlessLapses: 1, wakes: 0 });
    expect(await swept()).toEqual([]);
  });

  it("is taken from a live holder only under the caller's condition", async () => {
    const { _id, claim } = await begun();
    const evenIf = { $eq: ["$result", "other"] };
    expect(await work.claim({ _id, workspaceId }, { evenIf })).toBeNull();
    await docs().updateOne({ _id, workspaceId }, { $set: { result: "other" } });
    const taken = await work.claim({ _id, workspaceId }, { evenIf });
    if (taken) claims.push(taken.claim);
    expect(taken).not.toBeNull();
    await heartbeat().beat();
    expect(claim.stopped).toBe("lost");
  });
});

describe("a heartbeat", () => {
  it("renews all claims of the process, and survives a block of eight seconds", async () => {
    const all = await Promise.all(Array.from({ length: 30 }, begun));
    await passTime(8_000);
    expect(await swept()).toEqual([]);
    await heartbeat().beat();
    await passTime(8_000);
    expect(await swept()).toEqual([]);
    expect(all.filter(({ claim }) => claim.signal.aborted)).toEqual([]);
  });

  it("aborts only the claims that were lost", async () => {
    const [lost, kept] = [await begun(), await begun()];
    await docs().updateOne({ _id: lost._id, workspaceId }, { $set: { "work.claim.token": new ObjectId() } });
    await heartbeat().beat();
    expect(lost.claim.stopped).toBe("lost");
    expect(kept.claim.signal.aborted).toBe(false);
  });

  it("aborts the claims whose work was cancelled", async () => {
    const [cancelled, kept] = [await begun(), await begun()];
    await work.cancel({ _id: cancelled._id, workspaceId });
    await heartbeat().lookForCancel();
    expect(cancelled.claim.stopped).toBe("cancelled");
    expect(kept.claim.signal.aborted).toBe(false);
  });
});

describe("a sweep", () => {
  it("finds the work of a dead server within 15 s, and no sooner than its lease", async () => {
    const { _id, claim } = await begun();
    // The server is dead: it no longer sends heartbeats.
    claim.drop();
    let passedMs = 0;
    let found: string[] = [];
    while (found.length === 0 && passedMs <= TAKE_UP_MS) {
      await passTime(SWEEP_MS);
      passedMs += SWEEP_MS;
      found = await swept();
    }
    expect(found).toEqual([_id.toHexString()]);
    expect(passedMs).toBeGreaterThanOrEqual(LEASE_MS);
    expect(passedMs).toBeLessThanOrEqual(TAKE_UP_MS);
    const { work: after } = (await stored(_id)) ?? {};
    expect(after).toMatchObject({ starts: 1, lapses: 1, fruitlessLapses: 1, wakes: 1 });
    expect(after).not.toHaveProperty("claim");
    // It is left to the executor that was woken, and found again if that one never starts.
    expect(await swept()).toEqual([]);
    await passTime(WAKE_AGAIN_MS + 1000);
    expect(await swept()).toEqual([_id.toHexString()]);
  });

  it("leaves work due if its handler fails", async () => {
    const { _id } = await begun();
    await passTime(LEASE_MS + 1000);
    await expect(work.sweep(() => Promise.reject(new Error("away")))).rejects.toThrow("away");
    expect(await swept()).toEqual([_id.toHexString()]);
  });

  it("does not touch work that another server has claimed meanwhile", async () => {
    const { _id } = await begun();
    await passTime(LEASE_MS + 1000);
    await work.sweep(async () => void (await claimed(_id)));
    expect(await stored(_id)).toMatchObject({ work: { starts: 2, lapses: 1, wakes: 0, claim: {} } });
  });

  it("takes failed work up after a pause that doubles until it succeeds", async () => {
    const { _id, claim } = await begun();
    await work.fail(claim);
    await passTime(14_000);
    expect(await swept()).toEqual([]);
    await passTime(2_000);
    expect(await swept()).toEqual([_id.toHexString()]);
    await work.fail(await claimed(_id));
    await passTime(29_000);
    expect(await swept()).toEqual([]);
    const last = await claimed(_id);
    expect(await work.release(last, 0, [SUCCEEDED])).not.toHaveProperty("work.failures");
  });

  it("finds released work after its pause, and cancelled work without a holder at once", async () => {
    const [paused, cancelled] = [await begun(), await begun()];
    await work.release(paused.claim, 60_000);
    await docs().updateOne(cancelled.claim.held, releaseStages(60_000));
    expect(await swept()).toEqual([]);
    await work.cancel({ _id: cancelled._id, workspaceId });
    await passTime(1000);
    expect(await swept()).toEqual([cancelled._id.toHexString()]);
    await passTime(60_000);
    expect(await swept()).toEqual(expect.arrayContaining([paused._id.toHexString()]));
  });
});
