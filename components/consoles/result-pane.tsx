"use client";

import { useQuery } from "@tanstack/react-query";
import { Play, Square, Waves } from "lucide-react";
import { useEffect, useState } from "react";
import { ErrorPanel } from "@/components/consoles/error-panel";
import type { ConsoleRun, PinnedResult } from "@/components/consoles/run-store";
import { useConsoleChart } from "@/components/consoles/use-console-chart";
import type { ReadFailure } from "@/components/consoles/use-console-run";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import type { StoppedStatement } from "@/components/grid/result-view";
import { useWorkspace } from "@/components/layout/workspace-context";
import { RanBy } from "@/components/results/ran-by";
import { usePlan } from "@/components/results/use-plan";
import { lazyComponent } from "@/components/ui/lazy-component";
import { useNow } from "@/components/ui/use-browser";
import type { Connection } from "@/lib/features/connections/schema";
import { executionsApi } from "@/lib/features/query/browser/executions";
import { toTotalWords } from "@/lib/features/results/browser/result-words";
import { formatClock, formatDuration } from "@/lib/platform/browser/format";
import { later } from "@/lib/platform/browser/load-again";
import "@/components/ui/foot.css";

const loadResultView = later(() => import("@/components/grid/result-view"));
const ResultView = lazyComponent(loadResultView, (module) => module.ResultView, Skeleton);

const loadPlanView = later(() => import("@/components/results/plan-view"));
const PlanView = lazyComponent(loadPlanView, (module) => module.PlanView, Skeleton);

/** Answers faster than this show no skeleton (docs/develop/design.md, States). */
const SKELETON_AFTER_MS = 150;
/** Most queries have started by then, and need no request for their place in the queue. */
const QUEUE_AFTER_MS = 1000;
const QUEUE_EVERY_MS = 1000;

export type ResultPaneProps = {
  draft: OpenConsole;
  connection: Connection | null;
  latest: ConsoleRun | null;
  /** The saved result of the console is not known yet. */
  isReading: boolean;
  lastGood: ConsoleRun | null;
  /** Newer run of someone else; null without one. */
  newer: ConsoleRun | null;
  onShowNewer: () => void;
  /** Pinned earlier results. */
  pinned: PinnedResult[];
  onPin: (executionId: string, isPinned: boolean) => void;
  failure: ReadFailure | null;
  /** Whether this is the sample's console on its first visit. */
  isSample: boolean;
  canRun: boolean;
  onRun: () => void;
  onLoadMore: (run: ConsoleRun) => void;
  onRunAgain: (run: ConsoleRun) => void;
  onShowQuery: () => void;
};

/** Content below the run bar: empty, waiting, rows, no rows, or the error. */
export function ResultPane(props: ResultPaneProps) {
  const { latest, lastGood, failure } = props;
  const [shownGoodId, setShownGoodId] = useState<string | null>(null);
  const isWaiting = useIsWaiting(latest);
  const isRunning = latest?.status === "running";
  const { plan, close, measure } = usePlan(props.draft.id, latest);
  if (plan !== null) return <PlanView plan={plan} connection={props.connection} onMeasure={measure} onClose={close} />;
  // Old rows stay until the first new ones arrive, so that nothing flickers or is lost.
  if (isRunning && hasRows(latest)) return <Good {...props} run={latest} />;
  if (isRunning && lastGood !== null) {
    return <Good {...props} run={lastGood} newRun={isWaiting ? latest : null} />;
  }
  if (isRunning) return isWaiting ? <Waiting run={latest} /> : <div className="result-fill" />;
  if (latest === null) return props.isReading ? <Skeleton /> : <NotRun {...props} />;
  if (latest.status === "success") return <Good {...props} run={latest} />;

  if (lastGood !== null && shownGoodId === latest.id) {
    return (
      <Good
        {...props}
        run={lastGood}
        back={{ label: failure ? "Back to error" : "Back", go: () => setShownGoodId(null) }}
      />
    );
  }
  const kept = lastGood && (
    <div className="foot">
      <span>Last successful result available.</span>
      <button type="button" className="link" onClick={() => setShownGoodId(latest.id)}>
        Show {toRunWords(lastGood)} from {formatClock(new Date(lastGood.endedAt ?? lastGood.startedAt), false)}
      </button>
    </div>
  );
  const view = (
    <>
      {failure ? (
        <ErrorPanel
          consoleId={props.draft.id}
          failure={failure}
          connection={props.connection}
          content={props.draft.content}
          onRun={props.onRun}
        />
      ) : (
        <Cancelled run={latest} onRun={props.onRun} canRun={props.canRun} />
      )}
      {kept}
    </>
  );
  const last = latest.statements.find(({ outcome }) => outcome.status !== "done");
  // The results of the statements before it are complete.
  if (last === undefined || last === latest.statements[0]) return view;
  return (
    <Good
      {...props}
      run={latest}
      stopped={{ statement: last.statement, outcome: failure ? "failed" : "cancelled", view }}
    />
  );
}

type GoodProps = ResultPaneProps & {
  run: ConsoleRun;
  /** The running run, if these rows are from an older one; null if they are current. */
  newRun?: ConsoleRun | null;
  back?: { label: string; go: () => void };
  stopped?: StoppedStatement;
};

function Good({ run, back, newRun = null, newer, onShowNewer, draft, connection, stopped, ...rest }: GoodProps) {
  const { onLoadMore, onRunAgain, onShowQuery, canRun, pinned, onPin } = rest;
  const [chart, keepChart] = useConsoleChart(draft);
  return (
    <div className={newRun === null ? "result-hold" : "result-hold old"} aria-busy={newRun !== null}>
      {newRun !== null ? <OldNote run={newRun} /> : newer !== null && <NewerNote run={newer} onShow={onShowNewer} />}
      <ResultView
        // A new run resets selection and scroll position.
        key={run.id}
        run={run}
        connection={connection}
        consoleName={draft.name}
        chart={chart}
        onChart={keepChart}
        savedAs={draft.saved && draft.saved.content === run.content ? draft.saved : null}
        canRun={canRun}
        onLoadMore={() => onLoadMore(run)}
        onRunAgain={onRunAgain}
        onShowQuery={onShowQuery}
        back={back}
        stopped={stopped}
        pinned={pinned}
        onPin={onPin}
      />
    </div>
  );
}

function OldNote({ run }: { run: ConsoleRun }) {
  const words = useRunningWords(run);
  return (
    <div className="result-note num">
      <span className="st run">
        <Waves className="s" />
        {words}. Showing the previous result.
      </span>
    </div>
  );
}

/** Offers a newer run of someone else, so that the user's own rows are not replaced. */
function NewerNote({ run, onShow }: { run: ConsoleRun; onShow: () => void }) {
  return (
    <div className="result-note num" role="status">
      <span className="trunc">
        <RanBy run={run} />: {toRunWords(run)}.
      </span>
      <button type="button" className="btn sm" onClick={onShow}>
        View result
      </button>
    </div>
  );
}

function NotRun({ isSample, canRun, onRun }: ResultPaneProps) {
  return (
    <div className="result-fill center">
      <div className="empty not-run">
        <EmptyTable />
        {isSample ? (
          <>
            <h2>Run your first query</h2>
            <p>Sort, filter, inspect and copy the results here.</p>
          </>
        ) : (
          <>
            <h2>Not run yet</h2>
            <p>Run executes the selection, or the statement at the cursor.</p>
          </>
        )}
        <div className="row">
          <button type="button" className="btn run" aria-disabled={!canRun} onClick={onRun}>
            <Play className="s" />
            Run query
          </button>
        </div>
      </div>
    </div>
  );
}

function Cancelled({ run, canRun, onRun }: { run: ConsoleRun; canRun: boolean; onRun: () => void }) {
  return (
    <div className="result-fill center">
      <div className="empty">
        <span className="empty-mark">
          <Square />
        </span>
        <h2>Run cancelled</h2>
        <p>
          Stopped after {formatDuration((run.endedAt ?? run.startedAt) - run.startedAt)}.
          {run.statements.length === 1 && " No rows returned."}
        </p>
        <div className="row">
          <button type="button" className="btn" aria-disabled={!canRun} onClick={onRun}>
            <Play className="s" />
            Run again
          </button>
        </div>
      </div>
    </div>
  );
}

const BONE_ROWS = [
  [22, 34, 18, 14],
  [18, 40, 14, 12],
  [26, 30, 20, 10],
  [20, 36, 12, 16],
  [24, 28, 18, 14],
];

/** Returns the duration of a running query, or its place in the queue. */
function useRunningWords(run: ConsoleRun): string {
  const { workspace } = useWorkspace();
  const now = useNow(true, 100);
  const elapsedMs = Math.max(0, (now ?? run.startedAt) - run.startedAt);
  const executionId = run.statements.find(({ outcome }) => outcome.status === "running")?.executionId ?? "";
  const { data } = useQuery({
    queryKey: ["queue-place", workspace.id, executionId],
    queryFn: ({ signal }) => executionsApi.find(workspace.id, executionId, signal),
    enabled: executionId !== "" && elapsedMs >= QUEUE_AFTER_MS,
    refetchInterval: ({ state }) => (state.data?.status === "queued" ? QUEUE_EVERY_MS : false),
  });
  if (data?.status !== "queued") return `Running for ${formatDuration(elapsedMs)}`;
  if (data.queue === null) return `Queued for ${formatDuration(elapsedMs)}`;
  return `Queued at position ${data.queue.position}, expected wait ${formatDuration(data.queue.expectedWaitMs)}`;
}

function Waiting({ run }: { run: ConsoleRun }) {
  const words = useRunningWords(run);
  return (
    <div className="result-fill">
      <div className="waiting" aria-busy="true">
        {BONE_ROWS.map((widths) => (
          <div key={widths.join()} className="waiting-row">
            {widths.map((width) => (
              <i key={width} className="bone" style={{ width: `${width}%` }} />
            ))}
          </div>
        ))}
        <div className="st run num">
          <Waves className="s" />
          {words}
        </div>
      </div>
    </div>
  );
}

function Skeleton() {
  return <div className="result-fill" aria-busy="true" />;
}

const CELLS: [number, number, number][] = [
  [58, 40, 64],
  [88, 30, 50],
  [70, 34, 44],
  [80, 26, 54],
];

/** Placeholder for a result. */
function EmptyTable() {
  return (
    <div className="empty-table" aria-hidden="true">
      {CELLS.map((widths) =>
        widths.map((width) => (
          <i key={width}>
            <b style={{ width: `${width}%` }} />
          </i>
        )),
      )}
    </div>
  );
}

/** Returns true once a run has taken long enough for a skeleton. */
function useIsWaiting(run: ConsoleRun | null): boolean {
  const [waitingId, setWaitingId] = useState<string | null>(null);
  const runningId = run?.status === "running" ? run.id : null;
  useEffect(() => {
    if (runningId === null) return;
    const timer = setTimeout(() => setWaitingId(runningId), SKELETON_AFTER_MS);
    return () => clearTimeout(timer);
  }, [runningId]);
  return runningId !== null && waitingId === runningId;
}

function hasRows({ statements }: ConsoleRun): boolean {
  return statements.some(({ outcome }) => outcome.status === "done" && outcome.answer.fields.length > 0);
}

/** Returns the outcome of a run: its rows, or the rows that it changed. */
function toRunWords(run: ConsoleRun): string {
  const done = run.statements.flatMap(({ outcome, statement }) =>
    outcome.status === "done" ? [{ answer: outcome.answer, text: statement.text }] : [],
  );
  return toTotalWords(done);
}
