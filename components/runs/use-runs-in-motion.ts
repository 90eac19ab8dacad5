"use client";

import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useWorkspace } from "@/components/layout/workspace-context";
import { type Run, runsApi } from "@/lib/features/runs/browser/client";
import type { LiveEvent } from "@/lib/platform/browser/live";

/** The ids of the runs that wait or are at work. */
type Moving = readonly string[];

/** Not below the key of the lists of runs: progress, which changes nothing here, renews those. */
const toKey = (workspaceId: string) => ["runs-in-motion", workspaceId] as const;

/** How many runs of consoles and flows that the person may see have not ended, those of other people among them; 0 until that is known. */
export function useRunsInMotion(): number {
  const { workspace } = useWorkspace();
  const { data } = useQuery({
    queryKey: toKey(workspace.id),
    queryFn: ({ signal }) => readMoving(workspace.id, signal),
    // Events keep it true; only `reset` asks again.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.length ?? 0;
}

/** Keeps the count true: every run tells by an event how it stands. */
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

/** What is told of runs while they are read, by the workspace: the answer may have been written before it. */
const readings = new Map<string, Set<Run[]>>();

async function readMoving(workspaceId: string, signal: AbortSignal): Promise<Moving> {
  const heard: Run[] = [];
  const all = readings.get(workspaceId) ?? new Set();
  readings.set(workspaceId, all.add(heard));
  try {
    // One after the other: a run that begins meanwhile is in the second, and none is missed.
    const queued = await runsApi.listAll(workspaceId, "queued", signal);
    const found = [...queued, ...(await runsApi.listAll(workspaceId, "running", signal))];
    return heard.reduce(putRun, [...new Set(found.map(({ id }) => id))]);
  } finally {
    all.delete(heard);
    if (all.size === 0) readings.delete(workspaceId);
  }
}
