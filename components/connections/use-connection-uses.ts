"use client";

import { useMemo } from "react";
import { useConsoleList } from "@/components/consoles/use-consoles";
import { useFlows } from "@/components/flows/use-flows";
import type { ConsoleSummary } from "@/lib/features/consoles/schema";
import type { Flow } from "@/lib/features/flows/schema";
import { formatCountOf } from "@/lib/platform/browser/format";

/** Users of a connection that the reader may see. */
export type ConnectionUses = { consoles: ConsoleSummary[]; flows: Flow[] };
export const NO_USES: ConnectionUses = { consoles: [], flows: [] };

/** Returns uses by connection id; null until both lists are loaded. */
export function useConnectionUses(): ReadonlyMap<string, ConnectionUses> | null {
  const { data: consoles } = useConsoleList();
  const { data: flows } = useFlows();
  return useMemo(() => {
    if (consoles === undefined || flows === undefined) return null;
    const uses = new Map<string, ConnectionUses>();
    const usesOf = (id: string) => {
      const known = uses.get(id) ?? { consoles: [], flows: [] };
      uses.set(id, known);
      return known;
    };
    for (const each of consoles) if (each.connectionId !== null) usesOf(each.connectionId).consoles.push(each);
    for (const flow of flows) {
      // A flow that copies within a connection counts once.
      const ids = new Set([flow.source?.connectionId, flow.destination.connectionId]);
      for (const id of ids) if (id) usesOf(id).flows.push(flow);
    }
    return uses;
  }, [consoles, flows]);
}

/** "14 consoles, 3 flows"; empty for none. */
export function toUseWords(consoleCount: number, flowCount: number): string {
  const words = [];
  if (consoleCount > 0) words.push(formatCountOf(consoleCount, "console"));
  if (flowCount > 0) words.push(formatCountOf(flowCount, "flow"));
  return words.join(", ");
}
