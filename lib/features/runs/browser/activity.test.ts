import { describe, expect, it } from "vitest";
import {
  type Activity,
  type ActivityPeriod,
  isLike,
  mergeActivity,
  type Source,
  sourcesToRead,
  toQueryActivity,
} from "@/lib/features/runs/browser/activity";

const EXECUTION = {
  executionId: "e",
  connectionId: "c",
  userId: "ana",
  runId: null,
  origin: null,
  query: "select 1\n  from  dual",
  status: "success",
  queue: null,
  startedAt: "2026-11-22T10:00:00.000Z",
  completedAt: null,
  durationMs: 3,
  rowCount: 1,
  affectedRows: null,
  error: null,
  format: "json",
} as const;
const item = (at: number, id = `i${at}`): Activity => ({
  kind: "query",
  id,
  at: new Date(at * 1000).toISOString(),
  execution: EXECUTION,
});
const source = (ats: number[], hasMore: boolean): Source => ({ items: ats.map((at) => item(at)), hasMore });
const ids = (items: Activity[]) => items.map(({ id }) => id);

describe("merged lists", () => {
  it("are sorted by time", () => {
    expect(ids(mergeActivity([source([9, 5, 1], false), source([8, 7], false)]))).toEqual([
      "i9",
      "i8",
      "i7",
      "i5",
      "i1",
    ]);
  });

  it("hide items beyond the end of an unfinished list", () => {
    const lists = [source([9, 6], true), source([8, 3, 1], false)];
    expect(ids(mergeActivity(lists))).toEqual(["i9", "i8", "i6"]);
    expect(sourcesToRead(lists)).toEqual([0]);
  });

  it("load the list with the earliest end", () => {
    expect(sourcesToRead([source([9, 2], true), source([8, 5], true), source([1], false)])).toEqual([1]);
    expect(sourcesToRead([source([9], false), source([], false)])).toEqual([]);
    // A page may be empty although more follow.
    expect(sourcesToRead([source([9], true), source([], true)])).toEqual([1]);
    expect(mergeActivity([source([9], true), source([], true)])).toEqual([]);
  });
});

describe("an item of the activity", () => {
  it("is not a query of a run", () => {
    expect(toQueryActivity({ ...EXECUTION, runId: "r" })).toBeNull();
    expect(toQueryActivity(EXECUTION)).toMatchObject({ kind: "query", id: "e" });
  });

  it("is found by type, status, author, and part of its name, error or ID", () => {
    const all = { kind: null, state: null, userId: null, connectionId: null, period: null, text: "" };
    const facts = { now: new Date(10_000_000), connectionsOf: new Map() };
    const failed: Activity = {
      ...item(1),
      kind: "query",
      execution: { ...EXECUTION, status: "timeout", error: "Too slow", query: null },
    };
    expect(isLike(item(1), { ...all, text: "FROM dual" }, facts)).toBe(true);
    expect(isLike(item(1), { ...all, text: "i1" }, facts)).toBe(true);
    expect(isLike(failed, { ...all, text: "slow", state: "bad", kind: "query", userId: "ana" }, facts)).toBe(true);
    expect(isLike(failed, { ...all, state: "good" }, facts)).toBe(false);
    expect(isLike(failed, { ...all, kind: "flow" }, facts)).toBe(false);
    expect(isLike(failed, { ...all, userId: "bob" }, facts)).toBe(false);
    expect(isLike(failed, { ...all, text: "select" }, facts)).toBe(false);
  });

  it("is found by time and by connection, also through its console or flow", () => {
    const all = { kind: null, state: null, userId: null, connectionId: null, period: null, text: "" };
    const now = new Date("2026-11-22T12:00:00.000Z");
    const facts = { now, connectionsOf: new Map([["f", ["from", "to"]]]) };
    const at = (time: string) => ({ ...item(0), at: time });
    const isIn = (period: ActivityPeriod, time: string) => isLike(at(time), { ...all, period }, facts);
    expect([isIn("hour", "2026-11-22T11:00:00.000Z"), isIn("hour", "2026-11-22T10:59:59.999Z")]).toEqual([true, false]);
    expect([isIn("day", "2026-11-21T12:00:00.000Z"), isIn("day", "2026-11-21T11:59:59.999Z")]).toEqual([true, false]);
    expect([isIn("week", "2026-11-15T12:00:00.000Z"), isIn("month", "2026-10-01T00:00:00.000Z")]).toEqual([
      true,
      false,
    ]);
    expect(isLike(item(1), { ...all, connectionId: "c" }, facts)).toBe(true);
    expect(isLike(item(1), { ...all, connectionId: "to" }, facts)).toBe(false);
    const run = { ...item(1), kind: "flow", run: { resourceId: "f" } } as unknown as Activity;
    const delivery = { ...item(1), kind: "delivery", delivery: { resourceId: "f" } } as unknown as Activity;
    for (const each of [run, delivery]) {
      for (const [connectionId, isHit] of [["from", true], ["to", true], ["c", false]] as const) {
        expect(isLike(each, { ...all, connectionId }, facts)).toBe(isHit);
      }
    } // biome-ignore format: three connections
    // A deleted one has none.
    const gone = { ...item(1), kind: "flow", run: { resourceId: "g" } } as unknown as Activity;
    expect(isLike(gone, { ...all, connectionId: "from" }, facts)).toBe(false);
  });
});
