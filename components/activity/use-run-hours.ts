"use client";

import { useQuery } from "@tanstack/react-query";
import { useRefresh } from "@/components/layout/use-refresh";
import { useWorkspace } from "@/components/layout/workspace-context";
import { type ResourceType, type Run, runsApi } from "@/lib/features/runs/browser/client";

const HOURS = "run-hours";
/** A day is counted anew for a burst of ends, not for each of them. */
const GATHER_MS = 2000;

/** The runs of the last day, kept true while they are shown. @param resourceType the only kind that is counted; undefined for all */
export function useRunHours(resourceType: ResourceType | undefined) {
  const { workspace } = useWorkspace();
  const { data } = useQuery({
    queryKey: [HOURS, workspace.id, resourceType ?? "any"],
    queryFn: ({ signal }) => runsApi.countByHour(workspace.id, resourceType, signal),
  });
  // Progress changes no count.
  const isCounted = (status: Run["status"] | undefined) => status !== "running";
  useRefresh(
    [[HOURS, workspace.id]],
    ({ kind, data: { run } }) => kind === "run" && isCounted((run as Run | undefined)?.status),
    GATHER_MS,
  );
  return data;
}
