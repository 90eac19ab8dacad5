import { QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import type { Flow, FlowRun } from "@/lib/features/flows/schema";
import type { LogLine, Run } from "@/lib/features/runs/schema";
import type { LiveEvent } from "@/lib/platform/browser/live";
import { applyFlowEvent, mergeLog, toFlowKey, toFlowsKey } from "./use-flows";

const WORKSPACE = "a".repeat(24);
const FLOW = "b".repeat(24);
const RUN = "c".repeat(24);
const line = (second: number, text: string): LogLine => ({
  at: `2026-01-01T00:00:0${second}.000Z`,
  level: "info",
  text,
});
const runOf = (more: Partial<Run>): Run =>
  ({ id: RUN, resourceType: "flow", resourceId: FLOW, status: "running", rowCount: 0, ...more }) as Run;
const event = (kind: "run" | "log", data: object): LiveEvent => ({
  kind,
  data: { resourceType: "flow", resourceId: FLOW, at: "2026-01-01T00:00:00.000Z", ...data },
});
const runKey = [...toFlowKey(WORKSPACE, FLOW), "run", RUN];

function seeded(): QueryClient {
  const client = new QueryClient();
  const flow = { id: FLOW, status: "running", lastRun: runOf({}) } as Flow;
  client.setQueryData(toFlowsKey(WORKSPACE), { pages: [{ data: [flow], nextCursor: null }], pageParams: [null] });
  client.setQueryData(toFlowKey(WORKSPACE, FLOW), { id: FLOW, status: "running", lastRun: runOf({}) });
  client.setQueryData(runKey, { ...runOf({}), logs: [line(1, "The run begins")] } as FlowRun);
  return client;
}
const isOld = (client: QueryClient, key: readonly unknown[]) => client.getQueryState([...key])?.isInvalidated;

describe("the shown state of a run", () => {
  it("follows its progress without requests", () => {
    const client = seeded();
    applyFlowEvent(client, WORKSPACE, event("run", { run: runOf({ rowCount: 5000 }) }));
    expect(
      client.getQueryData<{ pages: { data: Flow[] }[] }>(toFlowsKey(WORKSPACE))?.pages[0]?.data[0]?.lastRun?.rowCount,
    ).toBe(5000);
    expect(client.getQueryData<FlowRun>(runKey)).toMatchObject({ rowCount: 5000, logs: [{ text: "The run begins" }] });
    expect([isOld(client, toFlowsKey(WORKSPACE)), isOld(client, runKey)]).toEqual([false, false]);
  });

  it("is reloaded when the run ends, another starts, or the flow changes", () => {
    const another = "d".repeat(24);
    for (const data of [{ run: runOf({ status: "success" }) }, { run: runOf({ id: another, status: "queued" }) }, {}]) {
      const client = seeded();
      applyFlowEvent(client, WORKSPACE, event("run", data));
      expect([isOld(client, toFlowsKey(WORKSPACE)), isOld(client, runKey)]).toEqual([true, true]);
    }
  });

  it("ignores runs of other resources and workspaces", () => {
    const client = seeded();
    applyFlowEvent(client, WORKSPACE, {
      kind: "run",
      data: { resourceType: "scheduled_query", resourceId: FLOW, at: "" },
    });
    expect(isOld(client, toFlowsKey(WORKSPACE))).toBe(false);
    applyFlowEvent(client, "e".repeat(24), { kind: "reset" });
    expect(isOld(client, toFlowsKey(WORKSPACE))).toBe(false);
    applyFlowEvent(client, WORKSPACE, { kind: "reset" });
    expect(isOld(client, runKey)).toBe(true);
  });

  it("appends log lines, none twice", () => {
    const client = seeded();
    const lines = [line(1, "The run begins"), line(2, "customers: done")];
    applyFlowEvent(client, WORKSPACE, event("log", { runId: RUN, lines }));
    applyFlowEvent(client, WORKSPACE, event("log", { runId: RUN, lines: [line(2, "customers: done")] }));
    expect(client.getQueryData<FlowRun>(runKey)?.logs.map(({ text }) => text)).toEqual([
      "The run begins",
      "customers: done",
    ]);
    // An event that is too large for its lines says only that there are more.
    applyFlowEvent(client, WORKSPACE, event("log", { runId: RUN }));
    expect(isOld(client, runKey)).toBe(true);
  });
});

it("keeps the end of a log", () => {
  const many = Array.from({ length: 1200 }, (_, at) => line(1, `line ${at}`));
  const merged = mergeLog(many.slice(0, 900), many.slice(900));
  expect([merged.length, merged[0]?.text, merged.at(-1)?.text]).toEqual([1000, "line 200", "line 1199"]);
});
