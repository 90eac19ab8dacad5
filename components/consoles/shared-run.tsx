"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX, Link2, Lock, Square, X } from "lucide-react";
import { useDialect } from "@/components/connections/use-connection-types";
import type { ConsoleRun } from "@/components/consoles/run-store";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import { SqlCode } from "@/components/editor/sql-code";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useFindConnection } from "@/components/schema/use-schema";
import { useMemberNames } from "@/components/settings/use-settings";
import { CodeBox } from "@/components/ui/code-box";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { executionsApi } from "@/lib/features/query/browser/executions";
import type { Execution } from "@/lib/features/query/schema";
import { toOutcomeWords } from "@/lib/features/results/browser/result-words";
import { formatDuration } from "@/lib/platform/browser/format";
import { formatStamp } from "@/lib/platform/browser/format-time";

const WITHHELD = "Only the person who ran this query can see its text.";

type SharedRunProps = { executionId: string; open: OpenConsole; latest: ConsoleRun | null };

/** A run that a link points to: user, query, time and outcome. Its rows are not stored, so they need a new run. */
export function SharedRun({ executionId, open, latest }: SharedRunProps) {
  const { workspace } = useWorkspace();
  const { open: show } = useConsoleActions();
  const isHere = latest?.statements.some((each) => each.executionId === executionId) ?? false;
  const run = useQuery({
    queryKey: ["run", workspace.id, executionId],
    queryFn: ({ signal }) => executionsApi.find(workspace.id, executionId, signal),
    enabled: !isHere,
  });
  if (isHere) return null;
  return (
    <section className="shared-run" aria-label="Linked run">
      {run.isPending && <ListSkeleton label="Loading run" rows={1} />}
      {run.isError && <LoadFailure error={run.error} onRetry={() => run.refetch()} />}
      {run.data === null && (
        <p className="row">
          <Link2 className="s t3" />
          <span className="grow">Run not available. Only its author and admins can view it.</span>
          <CloseLink onClose={() => show(open.id)} />
        </p>
      )}
      {run.data && <RunFacts run={run.data} onClose={() => show(open.id)} />}
    </section>
  );
}

function RunFacts({ run, onClose }: { run: Execution; onClose: () => void }) {
  const names = useMemberNames();
  const dialect = useDialect(useFindConnection()(run.connectionId)?.type);
  const facts = [
    toOutcomeWords(run, run.query),
    run.durationMs === null ? null : formatDuration(run.durationMs),
  ].filter((each) => each !== null);
  return (
    <>
      <div className="row">
        <RunStatus status={run.status} />
        <span className="trunc grow">
          {formatStamp(new Date(run.startedAt))} by {names.get(run.userId) ?? "former member"}
          {facts.length > 0 && <span className="num">: {facts.join(", ")}</span>}
        </span>
        <CloseLink onClose={onClose} />
      </div>
      {run.error && <p className="mono raw">{run.error}</p>}
      {run.query === null ? (
        <p className="row t2">
          <Lock className="s t3" />
          {WITHHELD}
        </p>
      ) : (
        <CodeBox label="Query">
          <span className="code">
            <SqlCode text={run.query} dialect={dialect} />
          </span>
        </CodeBox>
      )}
    </>
  );
}

function RunStatus({ status }: { status: Execution["status"] }) {
  if (status === "success") {
    return (
      <span className="st ok">
        <CircleCheck className="s" />
        Succeeded
      </span>
    );
  }
  if (status === "failure" || status === "timeout") {
    return (
      <span className="st bad">
        <CircleX className="s" />
        {status === "timeout" ? "Timed out" : "Failed"}
      </span>
    );
  }
  return (
    <span className="st wait">
      <Square className="s" />
      {status === "cancelled" ? "Cancelled" : status === "queued" ? "Queued" : "Running"}
    </span>
  );
}

function CloseLink({ onClose }: { onClose: () => void }) {
  return (
    <button type="button" className="btn ghost icon sm" aria-label="Close linked run" onClick={onClose}>
      <X className="s" />
    </button>
  );
}
