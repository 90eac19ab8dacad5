"use client";

import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { type ConsoleRun, ROW_LIMITS } from "@/components/consoles/run-store";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import { useWorkspace } from "@/components/layout/workspace-context";
import { api, type LastResult } from "@/lib/features/query/browser/api";
import type { LiveEvent } from "@/lib/platform/browser/live";

const toKey = (workspaceId: string, consoleId: string) => ["console-result", workspaceId, consoleId];
/** A result read this recently is not read again when the event stream opens: it may be 8 MiB. */
const JUST_READ_MS = 10_000;

/**
 * Shows the saved result of a console: after a reload, on another machine, or from a colleague's run.
 * @returns whether it is being read for the first time
 */
export function useLastResult({ id, saved }: OpenConsole): { isReading: boolean } {
  const { workspace, runs } = useWorkspace();
  const { data, isLoading } = useQuery({
    queryKey: toKey(workspace.id, id),
    queryFn: ({ signal }) => api.readLastResult(workspace.id, id, signal),
    enabled: saved !== null,
    // Events announce newer results.
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    if (data) runs.adopt(id, toRun(id, data));
  }, [runs, id, data]);
  return { isReading: isLoading };
}

/** Has a console's last result read again when it is not from a run of this page. */
export function applyKeptResult(
  queryClient: QueryClient,
  workspaceId: string,
  event: LiveEvent,
  isKnown: (executionId: string) => boolean,
): void {
  if (event.kind === "reset") {
    const before = Date.now() - JUST_READ_MS;
    void queryClient.invalidateQueries({
      queryKey: ["console-result", workspaceId],
      predicate: ({ state }) => state.dataUpdatedAt < before,
    });
    return;
  }
  if (event.kind !== "execution") return;
  const { resourceId, executionId } = event.data;
  if (typeof executionId === "string" && isKnown(executionId)) return;
  void queryClient.invalidateQueries({ queryKey: toKey(workspaceId, resourceId) });
}

/** Returns the saved result as the run that it came from. */
function toRun(consoleId: string, kept: LastResult): ConsoleRun {
  const { executionId, statement, variables, connectionId, userId, runId, durationMs, databaseMs } = kept;
  const { fields, rows, bytes, keptRows, rowCount } = kept;
  const startedAt = Date.parse(kept.startedAt);
  const answer = {
    executionId,
    fields,
    rows,
    bytes,
    durationMs,
    databaseMs,
    rowCount: keptRows,
    truncated: kept.truncated || keptRows < rowCount,
    affectedRows: kept.affectedRows,
    moreResults: [],
    // Only the first result of a statement is saved.
    resultsOmitted: kept.moreResults,
  };
  return {
    id: executionId,
    connectionId,
    bound: { consoleId, variables },
    content: statement,
    limit: ROW_LIMITS.find((limit) => limit >= keptRows) ?? ROW_LIMITS[0],
    statements: [
      {
        statement: { from: 0, to: statement.length, end: statement.length, text: statement },
        executionId,
        outcome: { status: "done", answer, wallMs: durationMs },
      },
    ],
    status: "success",
    startedAt,
    endedAt: startedAt + durationMs,
    isCancelling: false,
    keptOf: { userId, isByItself: runId !== null },
  };
}
