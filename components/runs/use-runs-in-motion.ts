"use client";

import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useWorkspace } from "@/components/layout/workspace-context";
import { runsApi } from "@/lib/features/runs/browser/client";
import type { Run } from "@/lib/features/runs/schema";
import type { LiveEvent } from "@/lib/platform/browser/live";

/** Runs counted of each status: the maximum of a list. */
const COUNTED_MAX = 200;

/** Ids of the queued and running runs. */
type Moving = readonly string[];

/** Not below the key of the lists of runs: progress, which changes nothing here, reloads those. */
const toKey = (workspaceId: string) => ["runs-in-motion", workspaceId] as const;

/**
 * Returns the number of unfinished runs of consoles and flows that the user may see, including those of others; 0 until
 * it is known. Of the queued and the running ones, the newest 200 each are counted.
 */
export function useRunsInMotion(): number {
  const { workspace } = useWorkspace();
  const { data } = useQuery({
    queryKey: toKey(workspace.id),
    queryFn: ({ signal }) => readMoving(workspace.id, signal),
    // Events keep it current; only `reset` loads it again.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.length ?? 0;
}

/** Keeps the count current: every run publishes its status. */
export function applyRunInMotion(client: QueryClient, workspaceId: string, event: LiveEvent): void {
  if (event.kind === "reset") return void client.invalidateQueries({ queryKey: toKey(workspaceId) });
  if (event.kind !== "run") return;
  const run = event.data.run as Run | undefined;
  // An event that is too large says only that something changed.
  if (run === undefined) return void client.invalidateQueries({ queryKey: toKey(workspaceId) });
  for (const heard of readings.get(workspaceId) ?? []) heard.push(run);
  client.setQueryData<Moving>(toKey(workspaceId), (before) => before && putRun(before, run));
}

function putRun(moving: Moving, { id, status }: Run): Moving {
  const isMoving = status === "queued" || status === "running";
  if (moving.includes(id) === isMoving) return moving;
  return isMoving ? [...moving, id] : moving.filter((each) => each !== id);
}

/** Runs received during a read, by workspace: the response may be older than they are. */
const readings = new Map<string, Set<Run[]>>();

async function readMoving(workspaceId: string, signal: AbortSignal): Promise<Moving> {
  const heard: Run[] = [];
  const all = readings.get(workspaceId) ?? new Set();
  readings.set(workspaceId, all.add(heard));
  try {
    // In this order, a run that starts in between is in the second list, so none is missed.
    const read = async (status: "queued" | "running") =>
      (await runsApi.list(workspaceId, { status, limit: COUNTED_MAX }, null, signal)).items;
    const found = [...(await read("queued")), ...(await read("running"))];
    return heard.reduce(putRun, [...new Set(found.map(({ id }) => id))]);
  } finally {
    all.delete(heard);
    if (all.size === 0) readings.delete(workspaceId);
  }
}
