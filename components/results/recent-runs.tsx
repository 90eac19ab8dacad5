"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX, Clock, Lock, Square, Waves } from "lucide-react";
import type { ReactNode } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useConnectionName } from "@/components/schema/use-schema";
import { useMemberNames, useRights } from "@/components/settings/use-settings";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { Modal } from "@/components/ui/modal";
import { showToast } from "@/components/ui/toast";
import { useOutage } from "@/components/ui/use-browser";
import { changeConsole, type DraftConsole } from "@/lib/features/consoles/browser/workbench";
import { executionsApi } from "@/lib/features/query/browser/executions";
import type { Execution } from "@/lib/features/query/schema";
import { toOutcomeWords } from "@/lib/features/results/browser/result-words";
import { formatDuration } from "@/lib/platform/browser/format";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";
import "./results.css";

const STATUS: Record<Execution["status"], { icon: ReactNode; word: string; className: string }> = {
  queued: { icon: <Waves className="s" />, word: "Queued", className: "run" },
  running: { icon: <Waves className="s" />, word: "Running", className: "run" },
  success: { icon: <CircleCheck className="s" />, word: "Succeeded", className: "ok" },
  failure: { icon: <CircleX className="s" />, word: "Failed", className: "bad" },
  timeout: { icon: <Clock className="s" />, word: "Timed out", className: "bad" },
  cancelled: { icon: <Square className="s" />, word: "Cancelled", className: "wait" },
};

/**
 * List of the user's recent queries, newest first; admins see everyone's. A click restores a query in the editor if the
 * user may read its text.
 */
export function RecentRuns({ draft, onClose }: { draft: DraftConsole; onClose: () => void }) {
  const { workspace, user, workbench, editors } = useWorkspace();
  const { isAdmin } = useRights();
  const outage = useOutage();
  const connectionName = useConnectionName();
  const runs = useInfiniteQuery({
    queryKey: ["executions", workspace.id],
    queryFn: ({ pageParam, signal }) => executionsApi.list(workspace.id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // A query that has just run belongs in it.
    staleTime: 0,
  });
  const names = useMemberNames();
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  const now = new Date();
  const toPerson = (id: string) => (id === user.id ? "you" : (names.get(id) ?? "former member"));

  const putBack = (query: string) => {
    const editor = editors.active;
    const content = editor?.read().content ?? draft.content;
    const before = content.trimEnd();
    // Appended, so that no text is lost.
    const added = before === "" ? query.trim() : `${before.endsWith(";") ? "" : ";"}\n\n${query.trim()}`;
    if (editor) editor.replace(before.length, content.length, added);
    else workbench.change((each) => changeConsole(each, draft.id, { content: before + added }));
    onClose();
    showToast(`Query added to the end of ${draft.name}.`, { id: "put-back" });
  };

  return (
    <Modal title="Recent runs" isOpen onClose={onClose}>
      <p className="xs t3">
        {isAdmin
          ? "Runs by everyone in the workspace. Queries from private consoles are hidden."
          : "Your runs. Admins can see them, but not queries from your private consoles."}
      </p>
      {outage !== null && <p className="xs t3">{outage}. Showing previously loaded runs.</p>}
      {runs.isPending ? (
        <ListSkeleton label="Loading recent runs" rows={6} />
      ) : runs.isError && items.length === 0 ? (
        <LoadFailure error={runs.error} onRetry={() => runs.refetch()} />
      ) : items.length === 0 ? (
        <p>No runs yet. Runs are kept for 30 days.</p>
      ) : (
        <ul className="recent">
          {items.map((item) => {
            const { icon, word, className } = STATUS[item.status];
            const at = new Date(item.startedAt);
            return (
              <li key={item.executionId}>
                <RunText query={item.query} onPick={putBack}>
                  <span className="recent-facts num">
                    <span className={`st ${className}`}>
                      {icon}
                      {word}
                    </span>
                    <span>{toOutcomeWords(item, item.query)}</span>
                    {item.durationMs !== null && <span>{formatDuration(item.durationMs)}</span>}
                    <span className="trunc">{connectionName(item.connectionId)}</span>
                    <span className="grow" />
                    <time dateTime={item.startedAt} title={formatStamp(at)}>
                      {formatAgo(at, now)} by {toPerson(item.userId)}
                    </time>
                  </span>
                </RunText>
              </li>
            );
          })}
        </ul>
      )}
      <LoadMore pages={runs} label="Load older runs" busyLabel="Loading older runs" className="btn recent-more" />
    </Modal>
  );
}

type RunTextProps = { query: string | null; onPick: (query: string) => void; children: ReactNode };

/** A run with its text, which a click restores; without a text there is nothing to click. */
function RunText({ query, onPick, children }: RunTextProps) {
  if (query === null) {
    return (
      <div className="recent-run">
        <span className="row t2">
          <Lock className="s" />
          Private query
        </span>
        {children}
      </div>
    );
  }
  return (
    <button type="button" className="recent-run" onClick={() => onPick(query)}>
      <code className="trunc">{query.replace(/\s+/g, " ").trim()}</code>
      {children}
    </button>
  );
}
