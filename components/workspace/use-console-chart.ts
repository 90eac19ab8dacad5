"use client";

import { useCallback } from "react";
import type { OpenConsole } from "@/components/workspace/use-consoles";
import { useWorkspace } from "@/components/workspace/workspace-context";
import { changeConsole } from "@/lib/ui/desk";

/** The chart of a console, as the Vega-Lite specification that is kept with it; null before anybody chose one. */
export type KeptChart = Record<string, unknown>;

export function useConsoleChart({ id, chart, saved }: OpenConsole): [KeptChart | null, (chart: KeptChart) => void] {
  const { desk, consoles } = useWorkspace();
  const isSaved = saved !== null;
  const keep = useCallback(
    (next: KeptChart) => {
      if (isSaved) void consoles.keepChart(id, next);
      else desk.change((each) => changeConsole(each, id, { chart: next, changedAt: Date.now() }));
    },
    [desk, consoles, id, isSaved],
  );
  return [chart ?? null, keep];
}
