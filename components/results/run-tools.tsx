"use client";

import { History } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { explainStore } from "@/components/results/explain-store";
import { usePlanKey } from "@/components/results/use-plan";
import { announce } from "@/components/ui/live-region";
import { Tip } from "@/components/ui/tip";
import { useDialect, useFindType } from "@/components/workspace/use-connection-types";
import { useWorkspace } from "@/components/workspace/workspace-context";
import type { Bound } from "@/lib/client/execute";
import { loadAgain } from "@/lib/client/load-again";
import type { Connection } from "@/lib/connections/schema";
import { SqlScript } from "@/lib/sql/statements";
import type { DraftConsole } from "@/lib/ui/workbench";
import "./results.css";

const RecentRuns = dynamic(
  () => loadAgain(() => import("@/components/results/recent-runs")).then((module) => module.RecentRuns),
  {
    ssr: false,
  },
);

type RunToolsProps = {
  draft: DraftConsole;
  connection: Connection | null;
  /** The saved console and the values of its variables; null for one that was never saved. */
  bound: Bound | null;
  /** Why nothing can be run now; null when it can. */
  disabledReason: string | null;
  isRunning: boolean;
};

/** Beside Run: the plan of the statement, where the engine explains it, and what was run before. */
export function RunTools({ draft, connection, bound, disabledReason, isRunning }: RunToolsProps) {
  const { workspace, editors } = useWorkspace();
  const findType = useFindType();
  const dialect = useDialect(connection?.type);
  const key = usePlanKey(draft.id);
  const [isHistoryOpen, setIsHistoryOpen] = useState(false);
  const prefix = findType(connection?.type)?.explain;
  const isDisabled = disabledReason !== null || isRunning;

  const explain = () => {
    if (isDisabled || connection === null || prefix === undefined) return;
    const { content, position, selectionFrom, selectionTo } = editors.active?.read() ?? {
      content: draft.content,
      position: draft.content.length,
      selectionFrom: 0,
      selectionTo: 0,
    };
    const statement =
      content.slice(selectionFrom, selectionTo).trim() || SqlScript.of(content, dialect).at(position)?.text;
    if (statement === undefined) {
      announce("There is no statement to explain. Write one first.", true);
      return;
    }
    const target = { workspaceId: workspace.id, connectionId: connection.id, bound };
    void explainStore.start(key, { target, prefix, statement });
  };

  return (
    <>
      {prefix !== undefined && (
        <button type="button" className="btn sm race-explain" aria-disabled={isDisabled} onClick={explain}>
          Explain
        </button>
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
