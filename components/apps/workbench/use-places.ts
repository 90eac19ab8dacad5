"use client";

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useAddress, useOwnSteps } from "@/components/layout/use-address";

/** Views that can replace the editor in the centre. */
const VIEWS = ["changes", "versions", "bindings"] as const;
export type Centre = "file" | (typeof VIEWS)[number];
/** Panes of a phone, which shows one at a time. */
export type Pane = "files" | Centre;

const TABS_MAX = 30;

/**
 * Returns what the workbench shows, as in its address: the file, the view, the commit; and the tabs, which this browser
 * remembers.
 */
export function usePlaces(appId: string, userId: string) {
  const { query, put } = useAddress();
  useOwnSteps();
  const key = `millrace:app-tabs:${userId}:${appId}`;
  const [tabs, setTabs] = useState<readonly string[]>([]);
  useEffect(() => setTabs(readTabs(key)), [key]);
  const file = query.get("file");
  const view = query.get("view");
  const centre: Centre = VIEWS.find((each) => each === view) ?? "file";
  const isAtFiles = query.get("pane") === "files" || (centre === "file" && file === null);
  const pane: Pane = isAtFiles ? "files" : centre;

  /** Updated before the next render, so that the second of two quick clicks starts from the first one's result. */
  const latest = useRef(tabs);
  useLayoutEffect(() => {
    latest.current = tabs;
  }, [tabs]);
  const keep = useCallback(
    (next: readonly string[]) => {
      latest.current = next;
      setTabs(next);
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // Without browser storage, the tabs last as long as this page.
      }
    },
    [key],
  );
  const go = (change: Record<string, string | null>, isStep = true) => put(change, isStep);
  const withFile = (all: readonly string[], shown: string | null) =>
    shown !== null && !all.includes(shown) ? [...all, shown] : all;
  const readNow = () => {
    const shown = new URLSearchParams(window.location.search).get("file");
    return { shown, all: withFile(latest.current, shown) };
  };
  return {
    file,
    centre,
    pane,
    sha: query.get("sha"),
    tabs: withFile(tabs, file),
    /** Opens a file in its tab. */
    open: (path: string) => {
      const { all } = readNow();
      if (!all.includes(path)) keep([...all, path].slice(-TABS_MAX));
      else if (all !== latest.current) keep(all);
      go({ file: path, view: null, sha: null, pane: null });
    },
    /** Closes a tab. If its file was shown, the neighbour is shown instead. */
    close: (path: string) => {
      const { shown, all } = readNow();
      const at = all.indexOf(path);
      const rest = all.filter((each) => each !== path);
      keep(rest);
      if (path === shown) go({ file: rest[Math.min(at, rest.length - 1)] ?? null }, false);
    },
    /** Updates the tabs after files were renamed or deleted. @param to returns the new path; null for a deleted file */
    follow: (to: (path: string) => string | null) => {
      const { shown, all } = readNow();
      const rest = all.flatMap((path) => to(path) ?? []);
      if (rest.join("\n") !== latest.current.join("\n")) keep(rest);
      const next = shown === null ? null : to(shown);
      if (next !== shown) go({ file: next ?? rest[0] ?? null }, false);
    },
    showCentre: (next: Centre, sha: string | null = null) =>
      go({ view: next === "file" ? null : next, sha, pane: null }),
    showPane: (next: Pane) =>
      go(next === "files" ? { pane: next } : { view: next === "file" ? null : next, pane: null }),
  };
}

export type Places = ReturnType<typeof usePlaces>;

function readTabs(key: string): string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(value) ? value.filter((each) => typeof each === "string").slice(-TABS_MAX) : [];
  } catch {
    return [];
  }
}
