"use client";

import { useCallback, useMemo } from "react";
import { type ConsoleRun, ROW_LIMITS, type StatementRun } from "@/components/consoles/run-store";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import { useLastResult } from "@/components/consoles/use-last-result";
import { pickStatements, readScript, type ScriptLanguage } from "@/components/editor/script";
import { useConsoleRuns, useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { readSqlMarks } from "@/lib/base/sql/marks";
import { describeQueryError, type ErrorPlace, locateError, type QuerySuggestion } from "@/lib/base/sql/query-error";
import type { SqlStatement } from "@/lib/base/sql/statements";
import type { TypedValue } from "@/lib/base/sql/variables";
import { isProduction } from "@/lib/features/connections/browser/connection-tag";
import type { Connection } from "@/lib/features/connections/schema";

/** A failed statement with its message and its positions in the text. */
export type ReadFailure = {
  run: ConsoleRun;
  statement: StatementRun;
  title: string;
  message: string;
  code: string;
  place: ErrorPlace | null;
  /** Corrections, the most likely first, with offsets in the console's text. */
  suggestions: QuerySuggestion[];
};

type RunOptions = {
  connection: Connection | null;
  dialect: SqlDialect;
  /** Language by which the text is split into statements. */
  language: ScriptLanguage;
  /** Values of the text's variables, as far as they have one. */
  values: Record<string, TypedValue | null>;
  /** Called instead of a run for variables without a value. */
  onMissing: (names: string[]) => void;
  /** Called instead of a run for a text without a statement. */
  onEmpty: (content: string) => void;
};

/** Runs a console: selects the statements at the cursor and keeps the outcome of the last run. */
export function useConsoleRun(draft: OpenConsole, options: RunOptions) {
  const { connection, dialect, language, values, onMissing, onEmpty } = options;
  const { runs, editors } = useWorkspace();
  const { isReading } = useLastResult(draft);
  const { latest, lastGood, newer, pinned } = useConsoleRuns(draft.id);
  const savedId = draft.saved?.id ?? null;

  const start = useCallback(
    (statements: SqlStatement[], content: string, limit: number = ROW_LIMITS[0], isAgain = false) => {
      if (connection === null) return;
      if (statements.length === 0) {
        announce("Nothing to run. Write a query first.", true);
        onEmpty(content);
        editors.active?.focus();
        return;
      }
      const marks = statements.flatMap(({ text }) => readSqlMarks(text, dialect));
      const names = [...new Set(marks.filter(({ clause }) => !clause).map(({ name }) => name))];
      const missing = names.filter((name) => !Object.hasOwn(values, name));
      onMissing(missing);
      if (missing.length > 0) return;
      const bound = { consoleId: savedId, variables: values };
      const confirmWrites = isAgain || isProduction(connection.tag) ? "always" : "risky";
      void runs.start(draft.id, { connectionId: connection.id, bound, content, statements, limit, confirmWrites });
    },
    [runs, editors, draft.id, savedId, connection, dialect, values, onMissing, onEmpty],
  );

  const runAtCursor = useCallback(() => {
    const at = editors.active?.read() ?? {
      content: draft.content,
      position: draft.content.length,
      selectionFrom: 0,
      selectionTo: 0,
    };
    start(pickStatements(at, language), at.content);
  }, [editors, draft.content, language, start]);

  const runAll = useCallback(() => {
    const content = editors.active?.read().content ?? draft.content;
    start([...readScript(content, language).statements], content);
  }, [editors, draft.content, language, start]);

  /** Runs the same statements again with the next higher row limit, and asks before each that writes. */
  const loadMore = useCallback(
    (run: ConsoleRun) => {
      const limit = ROW_LIMITS.find((each) => each > run.limit);
      if (limit !== undefined)
        start(
          run.statements.map(({ statement }) => statement),
          run.content,
          limit,
          true,
        );
    },
    [start],
  );

  /** Runs the statements of an earlier run again, as they were. */
  const runAgain = useCallback(
    (run: ConsoleRun) =>
      start(
        run.statements.map(({ statement }) => statement),
        run.content,
        run.limit,
      ),
    [start],
  );

  const cancel = useCallback(() => void runs.cancel(draft.id), [runs, draft.id]);
  const showNewer = useCallback(() => runs.showNewer(draft.id), [runs, draft.id]);
  const setPinned = useCallback(
    (executionId: string, isPinned: boolean) => runs.setPinned(draft.id, executionId, isPinned),
    [runs, draft.id],
  );
  const failure = useMemo(
    () => (latest?.status === "failure" ? readFailure(latest, dialect) : null),
    [latest, dialect],
  );
  return {
    latest,
    isReading,
    lastGood,
    newer,
    showNewer,
    pinned,
    setPinned,
    failure,
    runAtCursor,
    runAll,
    loadMore,
    runAgain,
    cancel,
  };
}

const TITLES: Record<string, string> = {
  timeout: "Query timed out",
  rate_limited: "Too many queued queries",
  unavailable: "Database unavailable",
  source_unreachable: "Can't reach the database",
  unreachable: "Can't reach the server",
  read_only: "Connection is read-only",
  not_allowed: "Statement not allowed",
  not_found: "Console or connection not found",
  forbidden: "Permission denied",
  too_large: "Query too long",
};

/** Returns the range of a whole statement that was refused. */
function placeOf(content: string, { from, to }: SqlStatement): ErrorPlace {
  const before = content.slice(0, from).split("\n");
  return { from, to, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function readFailure(run: ConsoleRun, dialect: SqlDialect): ReadFailure | null {
  const statement = run.statements.find(({ outcome }) => outcome.status === "failed");
  if (statement?.outcome.status !== "failed") return null;
  const { code, message, details } = statement.outcome.failure;
  const base = { run, statement, code, message };
  if (code !== "query_failed") {
    const isRefused = code === "read_only" || code === "not_allowed";
    const place = isRefused ? placeOf(run.content, statement.statement) : null;
    return { ...base, title: TITLES[code] ?? "Query failed", place, suggestions: [] };
  }
  const { title, name } = describeQueryError(message);
  const { from, text } = statement.statement;
  const place = locateError(run.content, { from, text, dialect }, details, name);
  const suggestions = (details.suggestions ?? []).map((each) => ({
    ...each,
    from: from + each.from,
    to: from + each.to,
  }));
  return { ...base, title, place, suggestions };
}
