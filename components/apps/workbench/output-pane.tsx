"use client";

import { useEffect, useRef } from "react";
import { BuildProblems } from "@/components/apps/workbench/build-problems";
import type { OutputLine } from "@/components/apps/workbench/use-output";
import type { BuildProblem } from "@/lib/features/apps/frame/messages";
import { formatCountOf } from "@/lib/platform/browser/format";
import { formatStamp } from "@/lib/platform/browser/format-time";

type OutputPaneProps = {
  lines: readonly OutputLine[];
  /** Current compile errors. */
  problems: readonly BuildProblem[];
  onGoTo: (place: { path: string; line: number; column: number | null }) => void;
  onClear: () => void;
};

/** Pane with the compile errors, console output and runtime errors of the app in the preview. */
export function OutputPane({ lines, problems, onGoTo, onClear }: OutputPaneProps) {
  const listRef = useRef<HTMLDivElement>(null);
  const last = lines.at(-1)?.id;
  useEffect(() => {
    if (last !== undefined) listRef.current?.scrollTo({ top: listRef.current.scrollHeight });
  }, [last]);
  const failures = problems.length + lines.filter(({ level }) => level === "error").length;
  return (
    <section className="app-output" aria-label="Output">
      <div className="row app-output-head">
        <h2 className="xs b6">Output</h2>
        {failures > 0 && <span className="xs app-output-bad">{formatCountOf(failures, "error")}</span>}
        <span className="grow" />
        {lines.length > 0 && (
          <button type="button" className="btn ghost sm" onClick={onClear}>
            Clear
          </button>
        )}
      </div>
      {problems.length > 0 && <BuildProblems label="Compile errors" problems={problems} onGoTo={onGoTo} />}
      {lines.length === 0 ? (
        <p className="xs t2 app-output-none">Console output appears here.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard has to reach it
        <div ref={listRef} className="app-output-lines" role="log" aria-label="App output" tabIndex={0}>
          {lines.map(({ id, level, text, at }) => (
            <p key={id} className={level}>
              <time dateTime={new Date(at).toISOString()} title={formatStamp(new Date(at))}>
                {new Date(at).toTimeString().slice(0, 8)}
              </time>
              <span className="app-output-level">{level}</span>
              <span className="app-output-text">{text}</span>
            </p>
          ))}
        </div>
      )}
    </section>
  );
}
