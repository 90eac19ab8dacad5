"use client";

import type { BuildProblem } from "@/lib/features/apps/frame/messages";

type BuildProblemsProps = {
  label: string;
  problems: readonly BuildProblem[];
  onGoTo: (place: { path: string; line: number; column: number | null }) => void;
};

/** Lists compile errors of an app, each with a link to its position. */
export function BuildProblems({ label, problems, onGoTo }: BuildProblemsProps) {
  return (
    <ul className="build-problems" aria-label={label}>
      {problems.map(({ path, line, column, message }) => (
        <li key={`${path}:${line}:${column}:${message}`}>
          {path !== null && line !== null ? (
            <button type="button" className="link mono" onClick={() => onGoTo({ path, line, column })}>
              {path}:{line}
            </button>
          ) : (
            <span className="mono">{path}</span>
          )}{" "}
          {message}
        </li>
      ))}
    </ul>
  );
}
