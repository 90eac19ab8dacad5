"use client";

import { useEffect } from "react";
import { useIsSettled } from "@/components/ui/use-browser";
import { loadAhead } from "@/lib/platform/browser/load-again";

/** Loads later parts of the page while it is idle, unless the user asked to save data. */
export function useLoadAhead(): void {
  const isSettled = useIsSettled();
  useEffect(() => {
    const { connection } = navigator as { connection?: { saveData?: boolean } };
    if (!isSettled || connection?.saveData === true) return;
    const stop = new AbortController();
    void loadAhead(stop.signal);
    return () => stop.abort();
  }, [isSettled]);
}
