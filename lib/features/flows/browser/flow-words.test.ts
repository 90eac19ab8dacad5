import { describe, expect, it } from "vitest";
import { toFlowMode, toRunState, toShareDone } from "./flow-words";

const counts = (read: number) => ({ read, written: read, skipped: 0, failed: 0 });

describe("the progress of a run", () => {
  it.each([
    ["nothing known", [], null],
    ["half of one", [{ status: "running", counts: counts(50), total: 100 }], 0.5],
    ["one of two", [{ status: "done", counts: counts(3), total: null }, { status: "waiting", counts: counts(0), total: null }], 0.5],
    ["an estimate that was too low is not the end", [{ status: "running", counts: counts(500), total: 100 }], 0.99],
    ["a source that does not say", [{ status: "running", counts: counts(5), total: null }], null],
    ["all", [{ status: "done", counts: counts(0), total: 0 }], 1],
  ] as const)("%s", (_, entities, share) => expect(toShareDone([...entities])).toBe(share)); // biome-ignore format: a line each
});

describe("words", () => {
  it("describe how a flow reads and writes", () => {
    const destination = { connectionId: "5".repeat(24), write: "upsert" } as const;
    expect(toFlowMode({ type: "sync", mode: "incremental", destination })).toBe("Incremental, upsert");
    expect(toFlowMode({ type: "webhook", mode: "full", destination })).toBe("Webhook, upsert");
  });

  it("distinguish a run being cancelled from a cancelled one", () => {
    expect(toRunState({ status: "running", cancelRequestedAt: "2026-01-01T00:00:00.000Z" })).toBe("cancelling");
    expect(toRunState({ status: "cancelled", cancelRequestedAt: "2026-01-01T00:00:00.000Z" })).toBe("cancelled");
    expect(toRunState({ status: "running", cancelRequestedAt: null })).toBe("running");
  });
});
