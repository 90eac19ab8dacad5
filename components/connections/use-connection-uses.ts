"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useWorkspace } from "@/components/layout/workspace-context";
import { connectionsApi } from "@/lib/features/connections/browser/client";
import type { ListedConnection } from "@/lib/features/connections/schema";
import { formatCount } from "@/lib/platform/browser/format";

/** Number of consoles and flows that use a connection and that the reader may see. */
export type UseCounts = NonNullable<ListedConnection["uses"]>;
export const NO_USES: UseCounts = { consoles: 0, flows: 0 };
const NONE: readonly { id: string }[] = [];
/** The server counts up to this number (lib/features/connections/schema.ts). */
const COUNT_MAX = 1000;

/** Returns the counts of connections by id; null until they are loaded. */
export function useConnectionUses(
  connections: readonly { id: string }[] = NONE,
): ReadonlyMap<string, UseCounts> | null {
  const { workspace } = useWorkspace();
  const ids = connections.map(({ id }) => id);
  const { data } = useQuery({
    queryKey: ["connections", workspace.id, "use-counts", ids],
    queryFn: ({ signal }) => connectionsApi.countUses(workspace.id, ids, signal),
    // Consoles and flows change without these.
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  return data ?? null;
}

/** "14 consoles, 3 flows"; empty for none. @param isPart there are more consoles than counted */
export function toUseWords({ consoles, flows }: UseCounts, isPart = consoles >= COUNT_MAX): string {
  return [toWords(consoles, "console", isPart), toWords(flows, "flow", flows >= COUNT_MAX)].filter(Boolean).join(", ");
}

function toWords(count: number, noun: string, isPart: boolean): string {
  return count === 0 ? "" : `${formatCount(count)}${isPart ? "+" : ""} ${noun}${count === 1 && !isPart ? "" : "s"}`;
}
