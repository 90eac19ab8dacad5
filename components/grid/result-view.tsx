"use client";

import { Pin, X } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { NoRows } from "@/components/grid/no-rows";
import { ResultSet, type ResultViewProps } from "@/components/grid/result-set";
import type { ConsoleRun } from "@/components/workspace/run-store";
import type { ExecuteAnswer } from "@/lib/client/api";
import { formatRows } from "@/lib/ui/format";

type Result = { run: ConsoleRun; answer: ExecuteAnswer; text: string; isPinned: boolean };

/** The results of a run and those that were pinned before: one, or several with tabs that say what was asked. */
export function ResultView(props: ResultViewProps) {
  const { run, pinned, onPin } = props;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  // Until one is chosen it is the last one that has come.
  const [chosenId, setChosenId] = useState<string | null>(null);
  const listRef = useRef<HTMLDivElement>(null);
  const pinnedIds = new Set(pinned.map(({ executionId }) => executionId));
  const own = toResults(run).filter(
    ({ answer }) => !pinnedIds.has(answer.executionId) && !closed.has(answer.executionId),
  );
  const kept = pinned.flatMap((each) =>
    toResults(each.run).flatMap((result) =>
      result.answer.executionId === each.executionId ? [{ ...result, isPinned: true }] : [],
    ),
  );
  const results = [...kept, ...own];
  const isOfRun = ({ run: { id } }: Result) => id === run.id;
  const shown =
    results.find(({ answer }) => answer.executionId === chosenId) ?? results.findLast(isOfRun) ?? results.at(-1);
  if (!shown) return null;

  const close = ({ answer, isPinned }: Result) => {
    if (isPinned) onPin(answer.executionId, false);
    if (!isPinned || answer.executionId !== shown.answer.executionId)
      setClosed((before) => new Set([...before, answer.executionId]));
  };
  const onKeyDown = (event: KeyboardEvent, at: number) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = step === 0 ? undefined : results[(at + step + results.length) % results.length];
    if (next) {
      setChosenId(next.answer.executionId);
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
            return (
              <button
                key={each.answer.executionId}
                type="button"
                role="tab"
                aria-selected={isShown}
                aria-keyshortcuts="Delete"
                tabIndex={isShown ? 0 : -1}
                className={isShown ? "btn sm on" : "btn sm ghost"}
                title={each.text}
                onClick={() => setChosenId(each.answer.executionId)}
                onAuxClick={(event) => event.button === 1 && close(each)}
                onKeyDown={(event) => onKeyDown(event, i)}
              >
                {each.isPinned && <Pin className="xs" />}
                {each.isPinned && <span className="sr-only">Pinned </span>}
                <span className="trunc mono">{words}</span>{" "}
                <span className="num t3">{formatRows(each.answer.rowCount)}</span>
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
      {shown.answer.rows.length === 0 ? (
        <NoRows answer={shown.answer} onShowQuery={props.onShowQuery} />
      ) : (
        <ResultSet
          key={shown.answer.executionId}
          {...props}
          run={shown.run}
          answer={shown.answer}
          statement={shown.text}
        />
      )}
    </>
  );
}

function toResults(run: ConsoleRun): Result[] {
  return run.statements.flatMap(({ outcome, statement }) =>
    outcome.status === "done" ? [{ run, answer: outcome.answer, text: statement.text, isPinned: false }] : [],
  );
}

/** As much of a statement as tells it from its neighbours. */
const WORDS_CHARS_MAX = 28;

function toFirstWords(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= WORDS_CHARS_MAX ? line : `${line.slice(0, WORDS_CHARS_MAX).trimEnd()}...`;
}
