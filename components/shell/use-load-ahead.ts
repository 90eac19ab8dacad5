"use client";

import { useEffect } from "react";
import { loadAhead } from "@/lib/client/load-again";

/** What a person does first, such as the first run, has the line for itself. */
const AHEAD_AFTER_MS = 3000;

/** Loads what the page will need later while it rests, unless the person has asked to save data. */
export function useLoadAhead(): void {
  useEffect(() => {
    const { connection } = navigator as { connection?: { saveData?: boolean } };
    if (connection?.saveData === true) return;
    const stop = new AbortController();
    const timer = setTimeout(() => void loadAhead(stop.signal), AHEAD_AFTER_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, []);
}
