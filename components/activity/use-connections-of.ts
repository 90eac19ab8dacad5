"use client";

import { useMemo } from "react";
import { useConsoleList } from "@/components/consoles/use-consoles";
import { useFlows } from "@/components/flows/use-flows";
import type { ActivityFacts } from "@/lib/features/runs/browser/activity";

/** Returns the connections of consoles and flows, loaded once a filter needs them. */
export function useConnectionsOf(isWanted: boolean): {
  connectionsOf: ActivityFacts["connectionsOf"];
  isPending: boolean;
} {
  const consoles = useConsoleList(isWanted);
  const flows = useFlows(isWanted);
  const connectionsOf = useMemo(
    () =>
      new Map<string, readonly (string | null)[]>([
        ...(consoles.data ?? []).map(({ id, connectionId }) => [id, [connectionId]] as const),
        ...(flows.data ?? []).map(
          ({ id, source, destination }) => [id, [source?.connectionId ?? null, destination.connectionId]] as const,
        ),
      ]),
    [consoles.data, flows.data],
  );
  return { connectionsOf, isPending: isWanted && (consoles.isPending || flows.isPending) };
}
