"use client";

import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import type { WhatToRun } from "@/components/consoles/editor-memory";
import { readOpenedConsoleId } from "@/components/consoles/use-console-actions";
import { useWorkspace } from "@/components/layout/workspace-context";

/**
 * Returns a function that runs a part of a console, now or as soon as that is possible. A shortcut may come before the
 * newly opened tab is rendered, and before the list of connections is loaded.
 * @param isDecided whether it is known if the console can run
 * @param run runs it, if it can
 */
export function useRunRequests(id: string, isDecided: boolean, run: (what: WhatToRun) => void) {
  const { editors } = useWorkspace();
  const request = (what: WhatToRun) => {
    const opened = readOpenedConsoleId() ?? id;
    if (opened !== id || !isDecided) editors.askToRun(opened, what);
    else run(what);
  };
  const toRun = useSyncExternalStore(
    editors.subscribe,
    () => editors.toRun(id),
    () => null,
  );
  const runAsked = useEffectEvent((what: WhatToRun) => {
    editors.forgetToRun();
    request(what);
  });
  useEffect(() => {
    if (toRun !== null && isDecided) runAsked(toRun);
  }, [toRun, isDecided]);
  return request;
}
