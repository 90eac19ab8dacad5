import { connectionsApi, type Usage } from "@/lib/features/connections/browser/client";
import { consoleApi } from "@/lib/features/consoles/browser/client";
import { SEARCH_HITS_MAX } from "@/lib/features/consoles/limits";

/** `isIncomplete`: more consoles may contain the table's name. */
export type TableReaders = { usages: Usage[]; isIncomplete: boolean };

/** Returns the consoles whose texts contain the table's name, and all else that uses its connection. */
export async function findReaders(
  workspaceId: string,
  connectionId: string,
  table: string,
  signal?: AbortSignal,
): Promise<TableReaders> {
  const [uses, { hits, isIncomplete }] = await Promise.all([
    connectionsApi.listUses(workspaceId, connectionId, signal),
    consoleApi.search(workspaceId, table, signal),
  ]);
  const known = new Set(uses.map(({ id }) => id));
  const reading = hits.filter((each) => each.connectionId === connectionId && each.lineCount > 0);
  const consoles = reading.filter(({ id }) => !known.has(id)).map(({ id, name }) => ({ kind: "console", id, name }));
  return { usages: [...consoles, ...uses], isIncomplete: isIncomplete || hits.length >= SEARCH_HITS_MAX };
}
