"use client";

import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLive } from "@/components/layout/use-live";
import type { LiveEvent } from "@/lib/platform/browser/live";

/** A burst of changes, as of a run that tells its progress, is one read. */
const GATHER_MS = 250;

/**
 * Reads answers of the server anew when something of theirs has changed.
 * @param isOfThese whether a change touches them; what was missed (`reset`) always does
 * @param gatherMs for answers that are dear
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
