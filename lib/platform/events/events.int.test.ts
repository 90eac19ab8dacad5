import { ObjectId } from "mongodb";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { databaseReady } from "@/lib/platform/db/ready";
import { takeOwnDatabase } from "@/test/database";
import { type Frame, readFrames } from "@/test/fixtures/events/frames";
import { collections } from "./collections";
import { publish, writeNow } from "./publish";
import { type StreamRequest, streamEvents } from "./stream";

const own = takeOwnDatabase();
beforeAll(databaseReady);
afterAll(() => own.drop());

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function open(workspaceId: ObjectId, options: Partial<StreamRequest> = {}) {
  const stop = new AbortController();
  stops.push(stop);
  const response = streamEvents({
    workspaceId,
    userId: new ObjectId(),
    lastEventId: null,
    hasHeartbeat: false,
    mayStillRead: async () => true,
    signal: stop.signal,
    ...options,
  });
  return { response, stop, ...readFrames(response) };
}

const publishChange = (workspaceId: ObjectId, resourceId: string, onlyFor?: ObjectId) =>
  publish({ workspaceId, kind: "run", resourceType: "flow", resourceId, onlyFor, data: { status: "running" } });
const idsOf = (frames: (Frame | null)[]) => frames.map((frame) => JSON.parse(frame?.data ?? "{}").resourceId);

describe("the event stream of a workspace", () => {
  it("sends later changes in order, with their data", async () => {
    const workspaceId = new ObjectId();
    const { response, next, take } = open(workspaceId);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(response.headers.get("cache-control")).toContain("no-transform");
    expect(await next()).toEqual({ id: "0" });
    for (let n = 1; n <= 30; n++) publishChange(workspaceId, `f${n}`);
    const frames = await take(30);
    expect(frames.map((frame) => frame?.id)).toEqual(Array.from({ length: 30 }, (_, n) => `${n + 1}`));
    expect(idsOf(frames)).toEqual(Array.from({ length: 30 }, (_, n) => `f${n + 1}`));
    const data = JSON.parse(frames[0]?.data ?? "{}");
    expect(data).toMatchObject({ resourceType: "flow", resourceId: "f1", status: "running" });
    expect(new Date(data.at).toISOString()).toBe(data.at);
  });

  it("sends nothing to other workspaces, and private changes to their owner only", async () => {
    const [here, elsewhere, me] = [new ObjectId(), new ObjectId(), new ObjectId()];
    const mine = open(here, { userId: me });
    const others = open(here);
    await Promise.all([mine.next(), others.next()]);
    publishChange(elsewhere, "elsewhere");
    publishChange(here, "private", me);
    publishChange(here, "shared");
    expect(idsOf(await mine.take(2))).toEqual(["private", "shared"]);
    expect(idsOf(await others.take(1))).toEqual(["shared"]);
  });

  it("resumes after the last seen event without losing or repeating one, also after more than a page", async () => {
    const workspaceId = new ObjectId();
    for (let n = 1; n <= 1200; n++) publishChange(workspaceId, `f${n}`);
    await writeNow();
    const { take } = open(workspaceId, { lastEventId: "7" });
    for (let n = 1201; n <= 1300; n++) publishChange(workspaceId, `f${n}`);
    expect(idsOf(await take(1293))).toEqual(Array.from({ length: 1293 }, (_, n) => `f${n + 8}`));
  });

  it.each(["999", "-1", "abc", "1e3", "7; drop"])(
    "sends `reset` to a reader with %j and continues live",
    async (lastEventId) => {
      const workspaceId = new ObjectId();
      publishChange(workspaceId, "before");
      await writeNow();
      const { take } = open(workspaceId, { lastEventId });
      expect((await take(2)).map((frame) => [frame?.event, frame?.id])).toEqual([
        ["reset", undefined],
        [undefined, "1"],
      ]);
      publishChange(workspaceId, "after");
      expect(idsOf(await take(1))).toEqual(["after"]);
    },
  );

  it("sends `reset` if events in between have expired", async () => {
    const workspaceId = new ObjectId();
    for (const name of ["a", "b", "c"]) publishChange(workspaceId, name);
    await writeNow();
    await collections.events().deleteMany({ workspaceId, position: { $lte: 2 } });
    expect((await open(workspaceId, { lastEventId: "1" }).next())?.event).toBe("reset");
    expect(idsOf(await open(workspaceId, { lastEventId: "2" }).take(1))).toEqual(["c"]);
  });

  it("sends `reset` in place of the oldest events if more are published at once than it queues", async () => {
    const workspaceId = new ObjectId();
    const { next, take } = open(workspaceId);
    await next();
    for (let n = 1; n <= 5003; n++) publishChange(workspaceId, `f${n}`);
    expect(await next()).toEqual({ id: "1", event: "reset", data: "{}" });
    expect(idsOf(await take(2))).toEqual(["f4", "f5"]);
  });

  it("sends `reset` in place of events that could not be stored, also to a reader that reconnects", async () => {
    const workspaceId = new ObjectId();
    const { next } = open(workspaceId);
    await next();
    const taken = { _id: new ObjectId(), workspaceId, kind: "log", userId: null, at: new Date() } as const;
    await collections.events().insertOne({ ...taken, position: 2, data: {} });
    for (const name of ["a", "b"]) publishChange(workspaceId, name);
    expect(await next()).toEqual({ id: "1", event: "reset", data: "{}" });
    expect((await open(workspaceId, { lastEventId: "0" }).next())?.event).toBe("reset");
  });

  it("sends changes of another server within seconds", async () => {
    const workspaceId = new ObjectId();
    const { next, take } = open(workspaceId);
    await next();
    const event = { workspaceId, kind: "log", userId: null, at: new Date() } as const;
    await collections.events().insertOne({ _id: new ObjectId(), ...event, position: 1, data: { resourceId: "there" } });
    await collections.eventHeads().insertOne({ _id: workspaceId, workspaceId, position: 1 });
    expect(idsOf(await take(1))).toEqual(["there"]);
  });

  it("numbers concurrent events without a gap", async () => {
    const workspaceId = new ObjectId();
    await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        publishChange(workspaceId, `f${n}`);
        await writeNow();
      }),
    );
    const positions = await collections.events().find({ workspaceId }).sort({ position: 1 }).toArray();
    expect(positions.map(({ position }) => position)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
  });

  it("omits the data of an event that is too large and keeps its identifiers", async () => {
    const workspaceId = new ObjectId();
    const { next } = open(workspaceId);
    await next();
    publish({ workspaceId, kind: "log", resourceType: "flow", resourceId: "f", data: { text: "x".repeat(20_000) } });
    expect(Object.keys(JSON.parse((await next())?.data ?? "{}"))).toEqual(["resourceType", "resourceId", "at"]);
  });

  it("sends heartbeats: events without an ID on request, comments otherwise", async () => {
    const workspaceId = new ObjectId();
    const [told, others] = [open(workspaceId, { hasHeartbeat: true }), open(workspaceId)];
    expect([await told.next(), await others.next()]).toEqual([{ id: "0" }, { id: "0" }]);
    const beat = await told.next();
    expect(beat).toEqual({ event: "heartbeat", data: expect.any(String) });
    expect(JSON.parse(beat?.data ?? "")).toEqual({ at: expect.stringMatching(/^\d{4}-.*Z$/) });
    // The others have received their comment by then, and no event before this one.
    publishChange(workspaceId, "f1");
    expect(idsOf(await others.take(1))).toEqual(["f1"]);
  }, 30_000);

  it("ends for a reader that does not read, and releases readers that leave", async () => {
    const workspaceId = new ObjectId();
    const userId = new ObjectId();
    const slow = open(workspaceId, { userId });
    await slow.next();
    for (let n = 0; n < 120; n++) {
      publish({ workspaceId, kind: "log", resourceType: "flow", resourceId: "f", data: { text: "x".repeat(15_000) } });
      if (n % 20 === 0) await writeNow();
    }
    await writeNow();
    // The buffer is read to its end; the reader reconnects with the id of the last event.
    let last: Frame | null = null;
    for (let frame = await slow.next(); frame; frame = await slow.next()) last = frame;
    expect(Number(last?.id)).toBeGreaterThan(0);
    expect(Number(last?.id)).toBeLessThan(120);
    const opened = Array.from({ length: 30 }, () => open(workspaceId, { userId }));
    expect(() => open(workspaceId, { userId })).toThrow("Too many open connections");
    for (const { stop } of opened) stop.abort();
    expect((await open(workspaceId, { userId }).next())?.id).toBe("120");
  });
});
