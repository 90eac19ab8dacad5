"use client";

import { useCallback } from "react";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { KeptChart } from "@/lib/features/consoles/browser/client";
import { changeConsole } from "@/lib/features/consoles/browser/workbench";

/** The chart of a console and how to keep another one; null before anybody chose one. */
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
