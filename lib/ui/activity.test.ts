import { describe, expect, it } from "vitest";
import { type Activity, isLike, mergeActivity, type Source, sourcesToRead, toQueryActivity } from "@/lib/ui/activity";

const EXECUTION = {
  executionId: "e",
  connectionId: "c",
  userId: "ana",
  runId: null,
  query: "select 1\n  from  dual",
  status: "success",
  startedAt: "2026-11-22T10:00:00.000Z",
  completedAt: null,
  durationMs: 3,
  rowCount: 1,
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

describe("several lists as one", () => {
  it("are in the order of their times", () => {
    expect(ids(mergeActivity([source([9, 5, 1], false), source([8, 7], false)]))).toEqual([
      "i9",
      "i8",
      "i7",
      "i5",
      "i1",
    ]);
  });

  it("show nothing behind the end of a list that goes on: its next items belong there", () => {
    const lists = [source([9, 6], true), source([8, 3, 1], false)];
    expect(ids(mergeActivity(lists))).toEqual(["i9", "i8", "i6"]);
    expect(sourcesToRead(lists)).toEqual([0]);
  });

  it("are read on where the least is known, whichever list that is", () => {
    expect(sourcesToRead([source([9, 2], true), source([8, 5], true), source([1], false)])).toEqual([1]);
    expect(sourcesToRead([source([9], false), source([], false)])).toEqual([]);
    // A page may be empty and go on all the same.
    expect(sourcesToRead([source([9], true), source([], true)])).toEqual([1]);
    expect(mergeActivity([source([9], true), source([], true)])).toEqual([]);
  });
});

describe("a line of the activity", () => {
  it("is no query that a run has made", () => {
    expect(toQueryActivity({ ...EXECUTION, runId: "r" })).toBeNull();
    expect(toQueryActivity(EXECUTION)).toMatchObject({ kind: "query", id: "e" });
  });

  it("is found by its kind, its state, who started it, and a part of its name, its error or its id", () => {
    const all = { kind: null, state: null, userId: null, text: "" };
    const failed: Activity = {
      ...item(1),
      kind: "query",
      execution: { ...EXECUTION, status: "timeout", error: "Too slow", query: null },
    };
    expect(isLike(item(1), { ...all, text: "FROM dual" })).toBe(true);
    expect(isLike(item(1), { ...all, text: "i1" })).toBe(true);
    expect(isLike(failed, { ...all, text: "slow", state: "bad", kind: "query", userId: "ana" })).toBe(true);
    expect(isLike(failed, { ...all, state: "good" })).toBe(false);
    expect(isLike(failed, { ...all, kind: "flow" })).toBe(false);
    expect(isLike(failed, { ...all, userId: "bob" })).toBe(false);
    expect(isLike(failed, { ...all, text: "select" })).toBe(false);
  });
});
