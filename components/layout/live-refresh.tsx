"use client";

import { useQueryClient } from "@tanstack/react-query";
import { toListKey } from "@/components/consoles/console-service";
import { applyKeptResult } from "@/components/consoles/use-last-result";
import { toDashboardsKey } from "@/components/dashboards/use-dashboards";
import { applyFlowEvent } from "@/components/flows/use-flows";
import { useLive } from "@/components/layout/use-live";
import { useWorkspace } from "@/components/layout/workspace-context";
import { applyRunInMotion } from "@/components/runs/use-runs-in-motion";
import type { LiveEvent } from "@/lib/platform/browser/live";

type Kind = LiveEvent["kind"];

/** Keys of the queries that each kind of change makes stale. */
const STALE_AFTER: Partial<Record<Kind, (workspaceId: string) => readonly (readonly unknown[])[]>> = {
  console: (workspaceId) => [toListKey(workspaceId)],
  dashboard: (workspaceId) => [toDashboardsKey(workspaceId)],
};

/** Reloads shown data after changes elsewhere. Nothing polls. */
export function LiveRefresh() {
  const { workspace, runs, consoles } = useWorkspace();
  const queryClient = useQueryClient();
  useLive((event) => {
    const { kind } = event;
    if (kind === "console") void consoles.hear(event.data);
    applyFlowEvent(queryClient, workspace.id, event);
    applyRunInMotion(queryClient, workspace.id, event);
    applyKeptResult(queryClient, workspace.id, event, runs.isKnown);
    const keysOf = kind === "reset" ? Object.values(STALE_AFTER) : [STALE_AFTER[kind]];
    for (const queryKey of keysOf.flatMap((keys) => keys?.(workspace.id) ?? [])) {
      void queryClient.invalidateQueries({ queryKey });
    }
  });
  return null;
}
