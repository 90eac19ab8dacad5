"use client";

import { useCallback } from "react";
import { useWorkspace } from "@/components/shell/workspace-context";
import { changeConsole, type DraftConsole } from "@/lib/ui/desk";

/** The chart of a console, as the Vega-Lite specification that is kept with it; null before anybody chose one. */
export type KeptChart = Record<string, unknown>;

export function useConsoleChart({ id, chart }: DraftConsole): [KeptChart | null, (chart: KeptChart) => void] {
  const { desk } = useWorkspace();
  const keep = useCallback(
    (next: KeptChart) => desk.change((each) => changeConsole(each, id, { chart: next })),
    [desk, id],
  );
  return [chart ?? null, keep];
}
