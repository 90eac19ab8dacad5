"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronRight, CircleStop } from "lucide-react";
import { Fragment, useEffect, useRef } from "react";
import { useRefresh } from "@/components/layout/use-refresh";
import { useWorkspace } from "@/components/layout/workspace-context";
import { LogLines } from "@/components/runs/log-lines";
import { ResultTable } from "@/components/runs/result-preview";
import { RunSpark } from "@/components/runs/run-spark";
import { StatusWord } from "@/components/runs/status-word";
import { useChange, useMemberNames } from "@/components/settings/use-settings";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ListTable } from "@/components/ui/list-table";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { useNow } from "@/components/ui/use-browser";
import type { ConsoleRun } from "@/lib/features/consoles/schema";
import { runsApi } from "@/lib/features/runs/browser/client";
import { formatRowTime, TRIGGER_WORDS, toRunAdvice } from "@/lib/features/runs/browser/run-words";
import type { Run } from "@/lib/features/runs/schema";
import { formatCount, formatCountOf, formatDuration } from "@/lib/platform/browser/format";
import { formatStamp } from "@/lib/platform/browser/format-time";
import { ApiError } from "@/lib/platform/browser/request";

const HEADS = [
  "Status",
  "Started",
  "Trigger",
  { name: "Duration", isNumber: true },
  { name: "Rows", isNumber: true },
  "Details",
];

const CLOCK_EVERY_MS = 1000;
const COLUMNS = 6;
const RUNS = "console-runs";

type RunHistoryProps = { consoleId: string; openId: string | null; onOpen: (runId: string | null) => void };

/** Background runs of a console, newest first, updated live. One of them expands in place. */
export function RunHistory({ consoleId, openId, onOpen }: RunHistoryProps) {
  const { workspace } = useWorkspace();
  const runs = useInfiniteQuery({
    queryKey: [RUNS, workspace.id, consoleId],
    queryFn: ({ pageParam, signal }) => runsApi.listOfConsole(workspace.id, consoleId, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  useRefresh(
    [[RUNS, workspace.id, consoleId]],
    ({ kind, data }) => (kind === "run" || kind === "log") && data.resourceId === consoleId,
  );
  const items = runs.data?.pages.flatMap((page) => page.items) ?? [];
  useAnnouncedEnd(items[0] ?? null);
  const isElsewhere = openId !== null && runs.isSuccess && !items.some(({ id }) => id === openId);
  return (
    <section className="card run-history" aria-label="Runs">
      <div className="row between card-head">
        <h2 className="sh">Runs</h2>
        <RunSpark runs={items} />
      </div>
      {isElsewhere && (
        <div className="run-elsewhere">
          <OldRun consoleId={consoleId} runId={openId} onClose={() => onOpen(null)} />
        </div>
      )}
      {runs.isPending && <ListSkeleton label="Loading runs" rowPx={36} />}
      {runs.isError && !runs.data && <LoadFailure error={runs.error} onRetry={() => runs.refetch()} />}
      {runs.isSuccess && items.length === 0 && <p className="t2 card-none">No runs yet. Click Run now to test it.</p>}
      {items.length > 0 && (
        <ListTable label="Runs" className="runs" columns={HEADS}>
          <tbody>
            {items.map((run) => (
              <RunRow
                key={run.id}
                run={run}
                isOpen={run.id === openId}
                onToggle={() => onOpen(run.id === openId ? null : run.id)}
              />
            ))}
          </tbody>
        </ListTable>
      )}
      <LoadMore pages={runs} label="Load older runs" busyLabel="Loading older runs" className="btn sm card-more" />
    </section>
  );
}

type RunRowProps = { run: ConsoleRun; isOpen: boolean; onToggle: () => void };

function RunRow({ run, isOpen, onToggle }: RunRowProps) {
  const names = useMemberNames();
  const started = new Date(run.startedAt ?? run.createdAt);
  const by = run.triggeredBy === null ? null : (names.get(run.triggeredBy) ?? "former member");
  const rowRef = useRef<HTMLTableRowElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    // A link can point to a row outside the viewport.
    if (isOpen && !wasOpen.current) rowRef.current?.scrollIntoView({ block: "nearest" });
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <Fragment>
      <tr ref={rowRef} className={isOpen ? "has-sub marked" : undefined}>
        <td>
          <StatusWord status={run.status} />
        </td>
        <td data-label="Started" className="num" title={formatStamp(started)}>
          {formatRowTime(started, new Date())}
        </td>
        <td data-label="Trigger" className="t2" title={by === null ? undefined : `Started by ${by}`}>
          {TRIGGER_WORDS[run.triggerType]}
        </td>
        <td data-label="Duration" className="r">
          <Took run={run} />
        </td>
        <td data-label="Rows" className="r">
          {run.rowCount === null ? null : formatCount(run.rowCount)}
        </td>
        <td className="cut detail">
          <span className="row">
            <button
              type="button"
              className={run.status === "failure" ? "row-link grow row detail-open" : "link grow row detail-open"}
              aria-expanded={isOpen}
              onClick={onToggle}
            >
              {isOpen ? <ChevronDown className="xs" /> : <ChevronRight className="xs" />}
              <span className="trunc">{toDetail(run)}</span>
            </button>
            <CancelRun run={run} />
          </span>
        </td>
      </tr>
      {isOpen && (
        <tr className="sub">
          <td colSpan={COLUMNS} className="wrap">
            <RunDetails run={run} />
          </td>
        </tr>
      )}
    </Fragment>
  );
}

/** Duration of a run; for a running one, the time so far. */
function Took({ run }: { run: Run }) {
  const isRunning = run.status === "running";
  const now = useNow(isRunning, CLOCK_EVERY_MS);
  if (run.durationMs !== null) return formatDuration(run.durationMs);
  if (!isRunning || now === null || run.startedAt === null) return null;
  return formatDuration(Math.max(0, now - new Date(run.startedAt).getTime()));
}

function CancelRun({ run }: { run: Run }) {
  const { workspace } = useWorkspace();
  const cancel = useChange([RUNS], () => runsApi.cancel(workspace.id, run));
  if (run.status !== "queued" && run.status !== "running") return null;
  const isAsked = run.cancelRequestedAt !== null || cancel.isPending;
  return (
    <button
      type="button"
      className="btn sm"
      aria-disabled={isAsked}
      onClick={() => !isAsked && cancel.mutate(undefined, { onError: (error) => showFailure(toMessage(error)) })}
    >
      <CircleStop className="s" />
      {isAsked ? "Cancelling" : "Cancel"}
    </button>
  );
}

/** Details of a run: the error and its fix, the first rows of the result, the log. */
function RunDetails({ run }: { run: ConsoleRun }) {
  const { workspace } = useWorkspace();
  const names = useMemberNames();
  const details = useQuery({
    queryKey: [RUNS, workspace.id, run.resourceId, run.id],
    queryFn: ({ signal }) => runsApi.readOfConsole(workspace.id, run.resourceId, run.id, signal),
  });
  const { error, status, resultPreview } = run;
  const logs = details.data?.logs ?? [];
  const by = run.triggeredBy === null ? "schedule" : (names.get(run.triggeredBy) ?? "former member");
  return (
    <div className="run-details">
      <p className="xs t3 num">
        Started by {by}, queued {formatStamp(new Date(run.createdAt))}
        {run.completedAt && `, ended ${formatStamp(new Date(run.completedAt))}`}
        <span className="mono run-id"> {run.id}</span>
      </p>
      {error !== null && (
        <Notice kind="bad">
          <p className="mono raw">{error}</p>
          <p className="xs">{toRunAdvice(error)}</p>
        </Notice>
      )}
      {resultPreview && <ResultTable preview={resultPreview} />}
      {status === "success" && !resultPreview && <p className="t2">Result expired. Results are kept for 30 days.</p>}
      {status === "queued" && <p className="t2">Queued.</p>}
      {status === "running" && <p className="t2">Running. The result appears here when it finishes.</p>}
      {details.isError && <LoadFailure error={details.error} onRetry={() => details.refetch()} />}
      {logs.length > 0 && <LogLines lines={logs} label="Log" className="boxed" />}
    </div>
  );
}

/** A run that a link points to and that is not among the listed ones. */
function OldRun({ consoleId, runId, onClose }: { consoleId: string; runId: string; onClose: () => void }) {
  const { workspace } = useWorkspace();
  const run = useQuery({
    queryKey: [RUNS, workspace.id, consoleId, runId],
    queryFn: ({ signal }) => runsApi.readOfConsole(workspace.id, consoleId, runId, signal),
  });
  const close = (
    <button type="button" className="btn sm" onClick={onClose}>
      Close
    </button>
  );
  if (run.isPending) return <ListSkeleton label="Loading run" rows={1} />;
  if (!run.data) {
    const isUnknown = run.error instanceof ApiError && [400, 404].includes(run.error.status);
    if (!isUnknown) return <LoadFailure error={run.error} onRetry={() => run.refetch()} />;
    return (
      <Notice kind="info" action={close}>
        Run not found. Runs are kept for 90 days.
      </Notice>
    );
  }
  return (
    <>
      <div className="row">
        <StatusWord status={run.data.status} />
        <span className="grow num">
          {formatRowTime(new Date(run.data.startedAt ?? run.data.createdAt), new Date())}
        </span>
        {close}
      </div>
      <RunDetails run={run.data} />
    </>
  );
}

function toDetail({ status, error, resultPreview }: ConsoleRun): string {
  if (error !== null) return error.split("\n")[0] ?? "";
  if (status === "queued") return "Queued";
  if (status === "running") return "Running";
  return resultPreview ? "View result" : "View details";
}

/** Announces the end of the newest run if it ends while the list is shown. */
function useAnnouncedEnd(run: Run | null): void {
  const before = useRef<Run | null>(null);
  useEffect(() => {
    const last = before.current;
    before.current = run;
    if (run === null || last?.id !== run.id || last.status === run.status) return;
    if (run.status === "success") announce(`Run succeeded, ${formatCountOf(run.rowCount ?? 0, "row")}`);
    else if (run.status === "failure") announce(`Run failed. ${run.error?.split("\n")[0] ?? ""}`, true);
    else if (run.status === "cancelled") announce("Run cancelled");
  }, [run]);
}
