import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import type { LiveEvent } from "@/lib/platform/browser/live";
import { applyRunInMotion } from "./use-runs-in-motion";

const WORKSPACE = "a".repeat(24);
const KEY = ["runs-in-motion", WORKSPACE];
const event = (resourceType: string, run?: { id: string; status: string }): LiveEvent => ({
  kind: "run",
  data: { resourceType, resourceId: "b".repeat(24), at: "2026-01-01T00:00:00.000Z", ...(run && { run }) },
});

it("counts running runs by events, each once and of every kind", () => {
  const client = new QueryClient();
  client.setQueryData(KEY, ["known"]);
  const tell = (kind: string, id: string, status: string) => {
    applyRunInMotion(client, WORKSPACE, event(kind, { id, status }));
    return client.getQueryData(KEY);
  };
  expect(tell("flow", "new", "queued")).toEqual(["known", "new"]);
  const before = client.getQueryData(KEY);
  // Progress changes nothing, so nothing is rendered again.
  expect(tell("flow", "new", "running")).toBe(before);
  expect(tell("scheduled_query", "other", "running")).toEqual(["known", "new", "other"]);
  expect(tell("flow", "known", "cancelled")).toEqual(["new", "other"]);
  expect(tell("flow", "new", "failure")).toEqual(["other"]);
  expect(tell("scheduled_query", "other", "success")).toEqual([]);
  expect(tell("flow", "never seen", "success")).toEqual([]);
});

it("reloads for missed events, and for one without a run", () => {
  for (const missed of [{ kind: "reset" } as const, event("flow")]) {
    const client = new QueryClient();
    client.setQueryData(KEY, ["known"]);
    applyRunInMotion(client, WORKSPACE, missed);
    expect(client.getQueryState(KEY)?.isInvalidated).toBe(true);
  }
});
