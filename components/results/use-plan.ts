"use client";

import { useCallback, useSyncExternalStore } from "react";
import type { ConsoleRun } from "@/components/consoles/run-store";
import { useWorkspace } from "@/components/layout/workspace-context";
import { explainStore, type Plan } from "@/components/results/explain-store";

/** Returns the key of a console's plan. The sample's console has the same id in every workspace. */
export function usePlanKey(consoleId: string): string {
  const { workspace } = useWorkspace();
  return `${workspace.id}/${consoleId}`;
}

type ShownPlan = { plan: Plan | null; close: () => void; measure: (isMeasured: boolean) => void };

/** Returns the plan shown instead of the result; null if there is none, or if another statement has run since. */
export function usePlan(consoleId: string, latest: ConsoleRun | null): ShownPlan {
  const key = usePlanKey(consoleId);
  const read = useCallback(() => explainStore.read(key), [key]);
  const plan = useSyncExternalStore(explainStore.subscribe, read, read);
  const isOutdone = plan !== null && latest !== null && latest.startedAt > plan.startedAt;
  return {
    plan: isOutdone ? null : plan,
    close: () => explainStore.close(key),
    measure: (isMeasured) => plan && void explainStore.start(key, plan, isMeasured),
  };
}
