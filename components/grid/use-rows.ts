"use client";

import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import type { ExecuteAnswer } from "@/lib/features/query/browser/api";
import type { Arrangement } from "@/lib/features/results/browser/arrangement";
import { type LoadState, loadedResults } from "@/lib/features/results/browser/loaded-results";
import { AnswerRows, type RowsSource } from "@/lib/features/results/browser/rows-source";

/** Sort order and filters of an answer. Kept outside components, which unmount when the window's width changes. */
const arrangements = new WeakMap<ExecuteAnswer, Arrangement>();

/** Returns the rows of an answer: the first ones, or all once they are loaded. Renders again when they change. */
export function useRows(answer: ExecuteAnswer): { source: RowsSource; load: LoadState | null } {
  const first = useMemo(() => {
    const rows = new AnswerRows(answer.fields, answer.rows);
    const kept = arrangements.get(answer);
    if (kept) rows.arrange(kept);
    return rows;
  }, [answer]);
  useEffect(() => {
    const stop = first.subscribe(() => void arrangements.set(answer, first.arrangement));
    return () => {
      stop();
      first.close();
    };
  }, [first, answer]);
  const readLoad = useCallback(() => loadedResults.read(answer.executionId), [answer.executionId]);
  const load = useSyncExternalStore(loadedResults.subscribe, readLoad, readLoad);
  const source: RowsSource = load?.status === "loaded" ? load.source : first;
  const readVersion = useCallback(() => source.version, [source]);
  useSyncExternalStore(source.subscribe, readVersion, readVersion);
  return { source, load };
}
