"use client";

import { History, ListTree } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { useOffer } from "@/components/layout/use-offer";
import { useExplain } from "@/components/results/use-explain";
import { lazyComponent } from "@/components/ui/lazy-component";
import { Tip } from "@/components/ui/tip";
import type { Connection } from "@/lib/features/connections/schema";
import type { DraftConsole } from "@/lib/features/consoles/browser/workbench";
import type { Bound } from "@/lib/features/query/browser/execute";
import { later } from "@/lib/platform/browser/load-again";
import "./results.css";

const loadRecentRuns = later(() => import("@/components/results/recent-runs"));
const RecentRuns = lazyComponent(loadRecentRuns, (module) => module.RecentRuns);

type RunToolsProps = {
  draft: DraftConsole;
  connection: Connection | null;
  /** Saved console and the values of its variables; null for one that was never saved. */
  bound: Bound | null;
  /** Reason why nothing can run now; null if it can. */
  disabledReason: string | null;
  isRunning: boolean;
};

/** Tools beside Run: the plan of the statement, if the engine explains it, and the recent queries. */
export function RunTools({ draft, connection, bound, disabledReason, isRunning }: RunToolsProps) {
  const [isHistoryOpen, setIsHistoryOpen] = useState(false);
  const isDisabled = disabledReason !== null || isRunning;
  const { explain, isPending } = useExplain({ draft, connection, bound, isDisabled });
  // The shortcut may be used before the connections have loaded.
  const [isAsked, setIsAsked] = useState(false);
  const explainAsked = useEffectEvent(() => {
    setIsAsked(false);
    explain?.();
  });
  useEffect(() => {
    if (isAsked && !isPending) explainAsked();
  }, [isAsked, isPending]);
  const offered = isPending ? () => setIsAsked(true) : explain;
  useOffer(
    "run-tools",
    offered === null
      ? []
      : [
          {
            id: "explain",
            name: "Explain statement at cursor",
            detail: draft.name,
            icon: ListTree,
            keys: "mod+shift+e",
            run: offered,
          },
        ],
  );

  return (
    <>
      {explain !== null && (
        <Tip label="Explain statement at cursor" keys="mod+shift+e" side="top">
          <button type="button" className="btn sm race-explain" aria-disabled={isDisabled} onClick={explain}>
            Explain
          </button>
        </Tip>
      )}
      <Tip label="Recent runs" side="top">
        <button
          type="button"
          className="btn ghost icon sm race-history"
          aria-label="Recent runs"
          aria-haspopup="dialog"
          onClick={() => setIsHistoryOpen(true)}
        >
          <History className="s" />
        </button>
      </Tip>
      {isHistoryOpen && <RecentRuns draft={draft} onClose={() => setIsHistoryOpen(false)} />}
    </>
  );
}
