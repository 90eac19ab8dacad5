"use client";

import { Pin, X } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import type { ConsoleRun } from "@/components/consoles/run-store";
import { NoRows } from "@/components/grid/no-rows";
import { ResultSet, type ResultViewProps } from "@/components/grid/result-set";
import type { ExecuteAnswer, FurtherResult } from "@/lib/features/query/browser/api";
import { toResultId } from "@/lib/features/results/browser/loaded-results";
import { toListedWords, toOutcomeWords } from "@/lib/features/results/browser/result-words";

type Result = {
  /** Id of the execution; for further results of the same statement, with their number. */
  id: string;
  /** 0 for the first result of a statement. */
  index: number;
  /** Results of the statement that have a tab, and all that it returned. */
  listedCount: number;
  totalCount: number;
  executionId: string;
  run: ConsoleRun;
  answer: ExecuteAnswer;
  text: string;
  isPinned: boolean;
};

/** Results of a run and the pinned ones: a single one, or several with tabs named after their statements. */
export function ResultView(props: ResultViewProps) {
  const { run, pinned, onPin } = props;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  // Until the user selects one, the last result to arrive.
  const [chosenId, setChosenId] = useState<string | null>(null);
  const listRef = useRef<HTMLDivElement>(null);
  const pinnedIds = new Set(pinned.map(({ executionId }) => executionId));
  const own = toResults(run).filter(({ id, executionId }) => !pinnedIds.has(executionId) && !closed.has(id));
  const kept = pinned.flatMap((each) =>
    toResults(each.run).flatMap((result) =>
      result.executionId === each.executionId ? [{ ...result, isPinned: true }] : [],
    ),
  );
  const results = [...kept, ...own];
  const isOfRun = ({ run: { id } }: Result) => id === run.id;
  const shown =
    results.find(({ id }) => id === chosenId) ??
    results.findLast((each) => isOfRun(each) && each.index === 0) ??
    results.at(-1);
  if (!shown) return null;

  const close = ({ id, executionId, isPinned }: Result) => {
    if (isPinned) onPin(executionId, false);
    if (!isPinned || id !== shown.id) setClosed((before) => new Set([...before, id]));
  };
  const onKeyDown = (event: KeyboardEvent, at: number) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = step === 0 ? undefined : results[(at + step + results.length) % results.length];
    if (next) {
      setChosenId(next.id);
      listRef.current?.querySelectorAll<HTMLElement>('[role="tab"]')[results.indexOf(next)]?.focus();
    } else if (event.key === "Delete" && results[at]) close(results[at]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      {results.length > 1 && (
        <div ref={listRef} className="result-sets" role="tablist" aria-label="Results">
          {results.map((each, i) => {
            const isShown = each === shown;
            const words = toFirstWords(each.text);
            const number = each.totalCount > 1 ? ` ${each.index + 1}` : "";
            return (
              <button
                key={each.id}
                type="button"
                role="tab"
                aria-selected={isShown}
                aria-keyshortcuts="Delete"
                tabIndex={isShown ? 0 : -1}
                className={isShown ? "btn sm on" : "btn sm ghost"}
                title={each.text}
                onClick={() => setChosenId(each.id)}
                onAuxClick={(event) => event.button === 1 && close(each)}
                onKeyDown={(event) => onKeyDown(event, i)}
              >
                {each.isPinned && <Pin className="xs" />}
                {each.isPinned && <span className="sr-only">Pinned </span>}
                <span className="trunc mono">
                  {words}
                  {number}
                </span>{" "}
                <span className="num t3">
                  {isUnread(each.answer) ? "not loaded" : toOutcomeWords(each.answer, each.text)}
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
        </div>
      )}
      {shown.listedCount < shown.totalCount && (
        <div className="result-note num" role="status">
          {toListedWords(shown.listedCount, shown.totalCount, shown.run.keptOf !== null)}
        </div>
      )}
      {shown.answer.rows.length === 0 && !isUnread(shown.answer) ? (
        <NoRows answer={shown.answer} statement={shown.text} onShowQuery={props.onShowQuery} />
      ) : (
        <ResultSet
          key={shown.id}
          {...props}
          executionId={shown.executionId}
          index={shown.index}
          run={shown.run}
          answer={shown.answer}
          statement={shown.text}
        />
      )}
    </>
  );
}

function toResults(run: ConsoleRun): Result[] {
  return run.statements.flatMap(({ executionId, outcome, statement: { text } }): Result[] => {
    if (outcome.status !== "done") return [];
    const { answer } = outcome;
    const listedCount = 1 + answer.moreResults.length;
    const totalCount = listedCount + (answer.resultsOmitted ?? 0);
    const facts = { executionId, run, text, isPinned: false, listedCount, totalCount };
    const further = answer.moreResults.map((result, at) => {
      const id = toResultId(executionId, at + 1);
      return { ...facts, id, index: at + 1, answer: toAnswer(answer, result, id) };
    });
    return [{ ...facts, id: executionId, index: 0, answer }, ...further];
  });
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

/** Maximum length of a tab's label, enough to tell statements apart. */
const WORDS_CHARS_MAX = 28;

function toFirstWords(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= WORDS_CHARS_MAX ? line : `${line.slice(0, WORDS_CHARS_MAX).trimEnd()}...`;
}
