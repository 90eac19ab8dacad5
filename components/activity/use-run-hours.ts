"use client";

import { useQuery } from "@tanstack/react-query";
import { useRefresh } from "@/components/layout/use-refresh";
import { useWorkspace } from "@/components/layout/workspace-context";
import { runsApi } from "@/lib/features/runs/browser/client";
import type { ResourceType, Run } from "@/lib/features/runs/schema";

const HOURS = "run-hours";
/** Time to gather events, so that a burst of finished runs is counted once, in ms. */
const GATHER_MS = 2000;

/**
 * Returns the runs of the last day, kept up to date while mounted. @param resourceType the only kind to count;
 * undefined for all
 */
export function useRunHours(resourceType: ResourceType | undefined) {
  const { workspace } = useWorkspace();
  const { data } = useQuery({
    queryKey: [HOURS, workspace.id, resourceType ?? "any"],
    queryFn: ({ signal }) => runsApi.countByHour(workspace.id, resourceType, signal),
  });
  // Progress does not change the counts.
  const isCounted = (status: Run["status"] | undefined) => status !== "running";
  useRefresh(
    [[HOURS, workspace.id]],
    ({ kind, data: { run } }) => kind === "run" && isCounted((run as Run | undefined)?.status),
    GATHER_MS,
  );
  return data;
}
