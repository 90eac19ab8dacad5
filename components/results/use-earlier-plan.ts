"use client";

import { useEffect, useState } from "react";
import type { Plan } from "@/components/results/explain-store";
import type { PlanTree } from "@/lib/base/explain/plan";
import { findEarlier, type KeptPlan, keepPlan, parseKeptPlans } from "@/lib/features/results/browser/earlier-plans";

/** Stores each plan in this browser, and returns the previous one of the same statement; null without one. */
export function useEarlierPlan({ target, statement, isMeasured, startedAt }: Plan, tree: PlanTree | null) {
  const key = `plans:${target.workspaceId}`;
  const { connectionId } = target;
  const [earlier, setEarlier] = useState<KeptPlan | null>(null);
  const text = tree?.text ?? null;
  const steps = tree?.nodes.length ?? 0;
  const totalMs = tree?.totalMs ?? null;
  useEffect(() => {
    if (text === null) return setEarlier(null);
    const plan = { connectionId, statement, isMeasured, at: startedAt, text, steps, totalMs };
    try {
      const kept = parseKeptPlans(localStorage.getItem(key));
      setEarlier(findEarlier(kept, plan));
      localStorage.setItem(key, JSON.stringify(keepPlan(kept, plan)));
    } catch {
      // If the store is full or closed, only the comparison is missing.
    }
  }, [key, connectionId, statement, isMeasured, startedAt, text, steps, totalMs]);
  return earlier;
}
