"use client";

import { CircleX, Pin, Square, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useDialect } from "@/components/connections/use-connection-types";
import type { ConsoleRun } from "@/components/consoles/run-store";
import type { OtherResult } from "@/components/grid/compare-view";
import { NoRows } from "@/components/grid/no-rows";
import { ResultSet, type ResultViewProps } from "@/components/grid/result-set";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import type { SqlStatement } from "@/lib/base/sql/statements";
import type { ExecuteAnswer, FurtherResult } from "@/lib/features/query/browser/api";
import { toResultId } from "@/lib/features/results/browser/loaded-results";
import { toListedWords, toOutcomeWords } from "@/lib/features/results/browser/result-words";
import { nameStatement } from "@/lib/features/results/browser/statement-name";
import { formatClock } from "@/lib/platform/browser/format";

type Result = {
  /** Id of the execution; for further results of the same statement, with their number. */
  id: string;
  /** Its place among the results of its run, from 1. */
  number: number;
  /** 0 for the first result of a statement. */
  index: number;
  /** Results of the statement that have a tab, and all that it returned. */
  listedCount: number;
  totalCount: number;
  executionId: string;
  run: ConsoleRun;
  answer: ExecuteAnswer;
  statement: SqlStatement;
  isPinned: boolean;
};

/** The statement that ended a run early: why, and what is shown in place of its rows. */
export type StoppedStatement = { statement: SqlStatement; outcome: "failed" | "cancelled"; view: ReactNode };

/** Results of a run and the pinned ones: a single one, or several with tabs named after their statements. */
export function ResultView(props: ResultViewProps & { stopped?: StoppedStatement | undefined }) {
  const { run, pinned, onPin, stopped } = props;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  // Until the user selects one, the last result to arrive.
  const [chosenId, setChosenId] = useState<string | null>(null);
  const listRef = useRef<HTMLDivElement>(null);
  const dialect = useDialect(props.connection?.type);
  const pinnedIds = new Set(pinned.map(({ executionId }) => executionId));
  const all = toResults(run);
  const own = all.filter(({ id, executionId }) => !pinnedIds.has(executionId) && !closed.has(id));
  const kept = pinned.flatMap((each) =>
    toResults(each.run).flatMap((result) =>
      result.executionId === each.executionId ? [{ ...result, isPinned: true }] : [],
    ),
  );
  const results = [...kept, ...own];
  const isOfRun = ({ run: { id } }: Result) => id === run.id;
  const chosen = results.find(({ id }) => id === chosenId);
  const shown =
    chosen ?? (stopped ? undefined : (results.findLast((each) => isOfRun(each) && each.index === 0) ?? results.at(-1)));
  const stoppedId = `${run.id}-stopped`;
  const shownId = shown?.id ?? stoppedId;
  useEffect(() => {
    const tab = shownId && listRef.current?.querySelector('[role="tab"][aria-selected="true"]');
    if (tab) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [shownId]);
  if (!shown && !stopped) return null;
  const tabIds = [...results.map(({ id }) => id), ...(stopped ? [stoppedId] : [])];

  const close = ({ id, executionId, isPinned }: Result) => {
    if (isPinned) onPin(executionId, false);
    if (!isPinned || id !== shownId) setClosed((before) => new Set([...before, id]));
  };
  const onKeyDown = (event: KeyboardEvent, at: number) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = step === 0 ? undefined : tabIds[(at + step + tabIds.length) % tabIds.length];
    if (next !== undefined) {
      setChosenId(next);
      listRef.current?.querySelectorAll<HTMLElement>('[role="tab"]')[tabIds.indexOf(next)]?.focus();
    } else if (event.key === "Delete" && results[at]) close(results[at]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      {tabIds.length > 1 && (
        <div ref={listRef} className="result-sets" role="tablist" aria-label="Results">
          {results.map((each, i) => {
            const isShown = each === shown;
            return (
              <button
                key={each.id}
                type="button"
                role="tab"
                aria-selected={isShown}
                aria-keyshortcuts="Delete"
                tabIndex={isShown ? 0 : -1}
                className={isShown ? "btn sm on" : "btn sm ghost"}
                title={each.statement.text}
                onClick={() => setChosenId(each.id)}
                onAuxClick={(event) => event.button === 1 && close(each)}
                onKeyDown={(event) => onKeyDown(event, i)}
              >
                {each.isPinned && <Pin className="xs" />}
                {each.isPinned && <span className="sr-only">Pinned </span>}
                {!each.isPinned && <span className="num t3">{each.number}</span>}{" "}
                <span className="trunc">{nameStatement(each.run.content, each.statement, dialect)}</span>{" "}
                <span className="num t3">
                  {isUnread(each.answer) ? "not loaded" : toOutcomeWords(each.answer, each.statement.text)}
                </span>
                {/* For the pointer alone: on the keyboard Delete closes a tab. */}
                <span
                  className="set-close"
                  aria-hidden="true"
                  title={each.isPinned ? "Unpin" : "Close"}
                  onClick={(event) => {
                    event.stopPropagation();
                    close(each);
                  }}
                >
                  <X className="xs" />
                </span>
              </button>
            );
          })}
          {stopped && (
            <button
              type="button"
              role="tab"
              aria-selected={!shown}
              tabIndex={shown ? -1 : 0}
              className={shown ? "btn sm ghost" : "btn sm on"}
              title={stopped.statement.text}
              onClick={() => setChosenId(stoppedId)}
              onKeyDown={(event) => onKeyDown(event, tabIds.length - 1)}
            >
              <span className="num t3">{all.length + 1}</span>{" "}
              <span className="trunc">{nameStatement(run.content, stopped.statement, dialect)}</span>{" "}
              <span className={stopped.outcome === "failed" ? "st bad" : "st wait"}>
                {stopped.outcome === "failed" ? <CircleX className="s" /> : <Square className="s" />}
                {stopped.outcome}
              </span>
            </button>
          )}
        </div>
      )}
      {shown ? <Shown {...props} shown={shown} others={toOthers(results, shown, dialect)} /> : stopped?.view}
    </>
  );
}

/** Returns the other results with rows, named as their tabs. */
function toOthers(results: Result[], shown: Result, dialect: SqlDialect): OtherResult[] {
  return results
    .filter(({ id, answer }) => id !== shown.id && answer.rows.length > 0)
    .map(({ id, run, number, isPinned, statement, answer }) => {
      const name = nameStatement(run.content, statement, dialect);
      const clock = formatClock(new Date(run.endedAt ?? run.startedAt));
      return { id, name: isPinned ? `${name}, pinned ${clock}` : `${number} ${name}`, answer };
    });
}

function Shown({ shown, others, ...props }: ResultViewProps & { shown: Result; others: OtherResult[] }) {
  const { answer, statement, listedCount, totalCount } = shown;
  return (
    <>
      {listedCount < totalCount && (
        <div className="result-note num" role="status">
          {toListedWords(listedCount, totalCount, shown.run.keptOf !== null)}
        </div>
      )}
      {answer.rows.length === 0 && !isUnread(answer) ? (
        <NoRows answer={answer} statement={statement.text} onShowQuery={props.onShowQuery} />
      ) : (
        <ResultSet
          key={shown.id}
          {...props}
          others={others}
          executionId={shown.executionId}
          index={shown.index}
          run={shown.run}
          answer={answer}
          statement={statement.text}
        />
      )}
    </>
  );
}

function toResults(run: ConsoleRun): Result[] {
  const found = run.statements.flatMap(({ executionId, outcome, statement }): Omit<Result, "number">[] => {
    if (outcome.status !== "done") return [];
    const { answer } = outcome;
    const listedCount = 1 + answer.moreResults.length;
    const totalCount = listedCount + (answer.resultsOmitted ?? 0);
    const facts = { executionId, run, statement, isPinned: false, listedCount, totalCount };
    const further = answer.moreResults.map((result, at) => {
      const id = toResultId(executionId, at + 1);
      return { ...facts, id, index: at + 1, answer: toAnswer(answer, result, id) };
    });
    return [{ ...facts, id: executionId, index: 0, answer }, ...further];
  });
  return found.map((result, at) => ({ ...result, number: at + 1 }));
}

/** Returns whether the limits of the run ended before the first row of a result. */
function isUnread({ rows, truncated }: ExecuteAnswer): boolean {
  return rows.length === 0 && truncated;
}

/** Further results as answers. The object is always the same, since its sorting and filters belong to it. */
const answers = new WeakMap<FurtherResult, ExecuteAnswer>();

function toAnswer(first: ExecuteAnswer, result: FurtherResult, executionId: string): ExecuteAnswer {
  const known = answers.get(result) ?? { ...first, ...result, executionId, moreResults: [], bytes: 0 };
  answers.set(result, known);
  return known;
}
