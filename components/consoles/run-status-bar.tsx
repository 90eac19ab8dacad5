"use client";

import { ChevronDown, CircleX, Play, Square } from "lucide-react";
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import type { ConsoleRun } from "@/components/consoles/run-store";
import { ColourTag, type TagLook } from "@/components/ui/colour-tag";
import { Keys } from "@/components/ui/keys";
import { Menu, MenuItem } from "@/components/ui/menu";
import { useNow } from "@/components/ui/use-browser";
import { loadedResults, toResultId } from "@/lib/features/results/browser/loaded-results";
import { toChangeWord, toRowCounts } from "@/lib/features/results/browser/result-words";
import { formatCount, toDuration, toSize } from "@/lib/platform/browser/format";

type RaceStripProps = {
  run: ConsoleRun | null;
  content: string;
  /** Whether Run is highlighted, on the first visit. */
  hasRing: boolean;
  /** Whether the two colours are still to be explained. */
  isExplaining: boolean;
  /** Tag of the connection that Run would use. */
  tag: TagLook | null;
  /** Reason why Run is disabled; null when it is not. */
  disabledReason: string | null;
  /** Reason why the last click ran nothing; null when it did. */
  notice: string | null;
  /** Buttons beside Run: the query plan, the run history. */
  tools?: ReactNode;
  onRun: () => void;
  onRunAll: () => void;
  onCancel: () => void;
  onExplained: () => void;
};

/** Time within which the second click of a double click on Run does not cancel. */
const DOUBLE_CLICK_MS = 400;

/** Run bar: the action at the left, the progress line in the middle, the figures at the right (design, principle 4). */
export function RunStatusBar({
  run,
  content,
  hasRing,
  isExplaining,
  tag,
  disabledReason,
  notice,
  tools,
  ...on
}: RaceStripProps) {
  const isRunning = run?.status === "running";
  const now = useNow(isRunning, 100);
  const elapsed = isRunning ? Math.max(0, (now ?? run.startedAt) - run.startedAt) : 0;
  const isEdited = run !== null && !isRunning && isOtherText(run, content);
  const sums = run?.status === "success" ? addUp(run) : null;
  const loaded = useLoaded(run);

  // The explanation belongs to the run that caused it, and disappears with the next one.
  const explainedRunId = useRef<string | null>(null);
  const runId = sums === null || run === null || run.keptOf !== null ? null : run.id;
  if (isExplaining && runId !== null) explainedRunId.current = runId;
  const { onExplained } = on;
  useEffect(() => {
    if (isExplaining && runId !== null) onExplained();
  }, [isExplaining, runId, onExplained]);

  const cancel = () => {
    if (run !== null && Date.now() - run.startedAt > DOUBLE_CLICK_MS) on.onCancel();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a strip of controls and figures is no form
    <div className="race" role="group" aria-label="Run">
      {/* One button for both, so that the focus stays when Run becomes Cancel. */}
      <span className={hasRing ? "split ring" : isRunning ? "split alone" : "split"}>
        <button
          type="button"
          className={isRunning ? "btn run-stop" : "btn run"}
          aria-disabled={isRunning ? run.isCancelling : disabledReason !== null}
          aria-describedby={disabledReason === null ? undefined : "run-reason"}
          onClick={isRunning ? cancel : on.onRun}
        >
          {isRunning ? <Square className="s" /> : <Play className="s" />}
          {isRunning ? (run.isCancelling ? "Cancelling" : "Cancel") : "Run"}
          <Keys keys={isRunning ? "esc" : "mod+enter"} />
        </button>
        {!isRunning && (
          <Menu
            trigger={
              <button
                type="button"
                className="btn run"
                aria-label="Run options"
                aria-disabled={disabledReason !== null}
              >
                <ChevronDown className="s" />
              </button>
            }
          >
            <MenuItem keys="mod+enter" onSelect={on.onRun}>
              Run statement at cursor
            </MenuItem>
            <MenuItem keys="mod+shift+enter" onSelect={on.onRunAll}>
              Run all statements
            </MenuItem>
          </Menu>
        )}
      </span>
      {tag !== null && <ColourTag tag={tag} />}
      {tools}
      <Line run={run} sums={sums} />
      <div className="race-end num">
        {disabledReason !== null ? (
          <span id="run-reason" className="t2 trunc">
            {disabledReason}
          </span>
        ) : (
          (notice && <span className="st wait trunc">{notice}</span>) || (
            <Figures run={run} elapsed={elapsed} sums={sums && withLoaded(sums, loaded)} />
          )
        )}
        {sums !== null && runId !== null && explainedRunId.current === runId && (
          <span className="t3 race-why">
            {Math.round(sums.databaseMs)} ms database, {Math.round(sums.totalMs - sums.databaseMs)} ms transfer
          </span>
        )}
        {isEdited && <span className="tag">Edited since run</span>}
      </div>
    </div>
  );
}

/**
 * Returns whether the run is of another text than the console's. Of a saved result only the executed statement is
 * known, which may be one of several.
 */
function isOtherText(run: ConsoleRun, content: string): boolean {
  return run.keptOf === null ? run.content !== content : !content.includes(run.content.trim());
}

type Sums = {
  rows: number;
  /** Number of rows changed by statements; null if none changed any. */
  changed: { count: number; word: string } | null;
  bytes: number;
  totalMs: number;
  databaseMs: number;
};

function addUp(run: ConsoleRun): Sums {
  const sums: Sums = { rows: 0, changed: null, bytes: 0, totalMs: 0, databaseMs: 0 };
  for (const { outcome, statement } of run.statements) {
    if (outcome.status !== "done") continue;
    const { moreResults } = outcome.answer;
    const { rows, changed } = toRowCounts(outcome.answer, statement.text);
    sums.rows += rows ?? 0;
    if (changed !== null) sums.changed = addChange(sums.changed, changed, toChangeWord(statement.text));
    sums.rows += moreResults.reduce((sum, result) => sum + result.rowCount, 0);
    sums.bytes += outcome.answer.bytes;
    sums.totalMs += outcome.answer.durationMs;
    sums.databaseMs += Math.min(outcome.answer.databaseMs, outcome.answer.durationMs);
  }
  return sums;
}

function addChange(before: Sums["changed"], count: number, word: string): Sums["changed"] {
  if (before === null) return { count, word };
  return { count: before.count + count, word: before.word === word ? word : "changed" };
}

/** Sums of a result whose rows are all loaded: `whole` replaces `first`, the sums of its first rows. */
type Loaded = { first: StatementSums; whole: StatementSums };
type StatementSums = Pick<Sums, "rows" | "bytes" | "totalMs">;

/** Returns the run's results whose rows are all loaded. Renders again when another one is. */
function useLoaded(run: ConsoleRun | null): Loaded[] {
  const results = (run?.statements ?? []).flatMap(({ outcome }) => {
    if (outcome.status !== "done") return [];
    const { answer } = outcome;
    // The size and the duration of the answer are counted with its first result.
    const further = answer.moreResults.map(({ rowCount }, at) => ({
      id: toResultId(answer.executionId, at + 1),
      first: { rows: rowCount, bytes: 0, totalMs: 0 },
    }));
    const { executionId: id, rowCount: rows, bytes, durationMs: totalMs } = answer;
    return [{ id, first: { rows, bytes, totalMs } }, ...further];
  });
  const read = () =>
    results.flatMap(({ id, first }): Loaded[] => {
      const load = loadedResults.read(id);
      if (load?.status !== "loaded") return [];
      return [{ first, whole: { rows: load.end.rows, bytes: load.end.bytes, totalMs: load.end.ms } }];
    });
  const toKey = () =>
    read()
      .map(({ whole }) => whole.rows)
      .join();
  useSyncExternalStore(loadedResults.subscribe, toKey, toKey);
  return read();
}

/** Returns the figures for all loaded rows, as shown in the foot of the result. */
function withLoaded(sums: Sums, loaded: Loaded[]): Sums {
  const renew = (figure: keyof StatementSums) =>
    loaded.reduce((sum, { first, whole }) => sum - first[figure] + whole[figure], sums[figure]);
  return { ...sums, rows: renew("rows"), bytes: renew("bytes"), totalMs: renew("totalMs") };
}

function Line({ run, sums }: { run: ConsoleRun | null; sums: Sums | null }) {
  if (run?.status === "running") {
    return (
      <span className="line" aria-hidden="true">
        <i className="m" />
      </span>
    );
  }
  if (sums !== null) {
    const share = sums.totalMs <= 0 ? 100 : Math.max(2, Math.min(98, (100 * sums.databaseMs) / sums.totalMs));
    return (
      <span className="line" aria-hidden="true">
        <i style={{ width: `${share}%` }} title={`Database ${Math.round(sums.databaseMs)} ms`} />
        <i
          className="b"
          style={{ width: `${100 - share}%` }}
          title={`Transfer ${Math.round(sums.totalMs - sums.databaseMs)} ms`}
        />
      </span>
    );
  }
  return (
    <span className="line" aria-hidden="true">
      {run?.status === "failure" && <i className="x" style={{ width: "4%" }} />}
    </span>
  );
}

function Figures({ run, elapsed, sums }: { run: ConsoleRun | null; elapsed: number; sums: Sums | null }): ReactNode {
  if (run === null) return <span className="t3">Not run yet</span>;
  if (run.status === "running") {
    const { value, unit } = toDuration(elapsed);
    return (
      <span className="figs">
        {run.statements.length > 1 && <Figure name="statements" value={toProgress(run)} />}
        <Figure name={unit} value={value} />
      </span>
    );
  }
  if (sums !== null) {
    const duration = toDuration(sums.totalMs);
    const size = toSize(sums.bytes);
    return (
      <span className="figs">
        {sums.changed !== null && (
          <Figure
            name={`${sums.changed.count === 1 ? "row" : "rows"} ${sums.changed.word}`}
            value={formatCount(sums.changed.count)}
          />
        )}
        {(sums.changed === null || sums.rows > 0) && (
          <Figure name={sums.rows === 1 ? "row" : "rows"} value={formatCount(sums.rows)} />
        )}
        <Figure name={duration.unit} value={duration.value} />
        <Figure name={size.unit} value={size.value} className="race-size" />
      </span>
    );
  }
  const spent = toDuration((run.endedAt ?? run.startedAt) - run.startedAt);
  return (
    <>
      <span className="figs">
        <Figure name={spent.unit} value={spent.value} />
      </span>
      {run.status === "failure" ? (
        <span className="st bad">
          <CircleX className="s" />
          Failed
        </span>
      ) : (
        <span className="st wait">
          <Square className="s" />
          Cancelled
        </span>
      )}
    </>
  );
}

function Figure({ name, value, className }: { name: string; value: string; className?: string }) {
  return (
    <span className={className}>
      <b>{value}</b> {name}
    </span>
  );
}

function toProgress(run: ConsoleRun): string {
  const ended = run.statements.filter(({ outcome }) => outcome.status === "done").length;
  return `${Math.min(ended + 1, run.statements.length)} of ${run.statements.length}`;
}
