import { expect, it } from "vitest";
import { RunMemory } from "./run-memory";
import type { ConsoleRun, ConsoleRuns } from "./run-store";

const MIB = 1024 * 1024;

function runOf(id: string, { bytes = 10, startedAt = 0, status = "success" as ConsoleRun["status"] } = {}): ConsoleRun {
  const answer = {
    ...{ executionId: id, fields: [], rows: [{ n: 1 }], bytes, rowCount: 1, truncated: false, affectedRows: null },
    ...{ moreResults: [], durationMs: 1, databaseMs: 1 },
  };
  const statement = { from: 0, to: 8, end: 8, text: "select 1" };
  return {
    ...{ id, connectionId: "c", bound: null, content: "select 1", limit: 1000, status, startedAt, endedAt: 1 },
    ...{ isCancelling: false, keptOf: null },
    statements: [{ statement, executionId: id, outcome: { status: "done", answer, wallMs: 1 } }],
  };
}

const runsOf = (latest: ConsoleRun, more: Partial<ConsoleRuns> = {}): ConsoleRuns => ({
  ...{ latest, lastGood: null, newer: null, pinned: [] },
  ...more,
});

function memoryOf(userId = "u") {
  const items = new Map<string, string>();
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
  return { items, memory: new RunMemory(userId, "w", () => storage) };
}

it("returns runs and pinned results once, as runs of the user", () => {
  const { memory, items } = memoryOf();
  const pinned = [{ run: runOf("old"), executionId: "old" }];
  memory.keep(new Map([["a", runsOf(runOf("new"), { pinned })]]));
  const keptOf = { userId: "u", isByItself: false };
  const latest = { ...runOf("new"), keptOf };
  expect(memory.take()).toEqual([
    [
      "a",
      { latest, lastGood: latest, newer: null, pinned: [{ run: { ...runOf("old"), keptOf }, executionId: "old" }] },
    ],
  ]);
  expect([memory.take(), items.size]).toEqual([[], 0]);
});

it("keeps the rows before a run that has not ended, and results before a failed statement", () => {
  const { memory } = memoryOf();
  const good = runOf("good");
  const failed = runOf("failed", { status: "failure" });
  memory.keep(
    new Map([
      ["a", runsOf(runOf("going", { status: "running" }), { lastGood: good })],
      ["b", runsOf(failed)],
      ["c", runsOf({ ...failed, statements: [] }, { lastGood: good })],
    ]),
  );
  const kept = Object.fromEntries(memory.take());
  expect(kept.a?.latest?.id).toBe("good");
  expect([kept.b?.latest?.id, kept.b?.lastGood]).toEqual(["failed", null]);
  expect(kept.c?.latest?.id).toBe("good");
});

it("keeps the latest results within its limit", () => {
  const { memory } = memoryOf();
  memory.keep(
    new Map([
      ["first", runsOf(runOf("1", { bytes: MIB, startedAt: 1 }))],
      ["second", runsOf(runOf("2", { bytes: MIB, startedAt: 2 }))],
      ["third", runsOf(runOf("3", { bytes: MIB - 100, startedAt: 3 }))],
      ["huge", runsOf(runOf("4", { bytes: 3 * MIB, startedAt: 4 }))],
    ]),
  );
  expect(memory.take().map(([id]) => id)).toEqual(["third", "second"]);
});

it("is empty for an unreadable or full storage", () => {
  const broken = () => {
    throw new Error("The quota is exceeded.");
  };
  const memory = new RunMemory("u", "w", () => ({ getItem: () => "{", setItem: broken, removeItem: () => {} }));
  memory.keep(new Map([["a", runsOf(runOf("1"))]]));
  expect(memory.take()).toEqual([]);
});
