"use client";

import { useCallback } from "react";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { KeptChart } from "@/lib/features/consoles/browser/client";
import { changeConsole } from "@/lib/features/consoles/browser/workbench";

/** Returns the chart of a console and a function that saves another one; null before a user has chosen one. */
export function useConsoleChart({ id, chart, saved }: OpenConsole): [KeptChart | null, (chart: KeptChart) => void] {
  const { workbench, consoles } = useWorkspace();
  const isSaved = saved !== null;
  const keep = useCallback(
    (next: KeptChart) => {
      if (isSaved) void consoles.choose(id, { chart: next });
      else workbench.change((each) => changeConsole(each, id, { chart: next, changedAt: Date.now() }));
    },
    [workbench, consoles, id, isSaved],
  );
  return [chart ?? null, keep];
}
