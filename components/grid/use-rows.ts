"use client";

import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import type { ExecuteAnswer } from "@/lib/client/api";
import { type LoadState, loadedResults } from "@/lib/ui/results/loaded-results";
import { AnswerRows, type RowsSource } from "@/lib/ui/results/rows-source";

/** The rows of an answer: the first ones, or all of them once they were loaded. Draws anew when they change. */
export function useRows(answer: ExecuteAnswer): { source: RowsSource; load: LoadState | null } {
  const first = useMemo(() => new AnswerRows(answer.fields, answer.rows), [answer]);
  useEffect(() => () => first.close(), [first]);
  const readLoad = useCallback(() => loadedResults.read(answer.executionId), [answer.executionId]);
  const load = useSyncExternalStore(loadedResults.subscribe, readLoad, readLoad);
  const source: RowsSource = load?.status === "loaded" ? load.source : first;
  const readVersion = useCallback(() => source.version, [source]);
  useSyncExternalStore(source.subscribe, readVersion, readVersion);
  return { source, load };
}
