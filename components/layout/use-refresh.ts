"use client";

import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLive } from "@/components/layout/use-live";
import type { LiveEvent } from "@/lib/platform/browser/live";

/** A burst of changes, such as a run's progress, causes one reload. */
const GATHER_MS = 250;

/**
 * Invalidates queries when their data has changed.
 * @param isOfThese whether a change affects them; missed changes (`reset`) always do
 * @param gatherMs time to gather changes, for expensive queries
 */
export function useRefresh(
  keys: readonly QueryKey[],
  isOfThese: (event: Exclude<LiveEvent, { kind: "reset" }>) => boolean,
  gatherMs = GATHER_MS,
): void {
  const queryClient = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  useLive((event) => {
    if (event.kind !== "reset" && !isOfThese(event)) return;
    if (timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      for (const queryKey of latest.current) void queryClient.invalidateQueries({ queryKey });
    }, gatherMs);
  });
}
