"use client";

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useDialect, useScriptLanguage } from "@/components/connections/use-connection-types";
import { readOpenedConsoleId, useConsoleActions } from "@/components/consoles/use-console-actions";
import { useConsoleCommands } from "@/components/consoles/use-console-commands";
import { useConsoleRun } from "@/components/consoles/use-console-run";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import { useRunRequests } from "@/components/consoles/use-run-requests";
import { useVariables, type Variables } from "@/components/consoles/use-variables";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useConnections, useEntities, useFindConnection, useFindDatabase } from "@/components/schema/use-schema";
import { announce } from "@/components/ui/live-region";
import { useOutage } from "@/components/ui/use-browser";
import { toInput, toShort, toTypedValue } from "@/lib/base/sql/variables";
import { isSameJson } from "@/lib/base/values/same-json";
import type { Connection } from "@/lib/features/connections/schema";
import { changeConsole, isSavedId } from "@/lib/features/consoles/browser/workbench";
import type { Console } from "@/lib/features/consoles/schema";

const NO_NAMES: string[] = [];

/** Run time after which Escape asks before it cancels (docs/develop/design.md, Keyboard). */
const ASK_AFTER_MS = 30_000;

export type ConsoleSession = ReturnType<typeof useConsoleSession>;

/** Returns a console's connection, variables and runs, with the actions of its view. */
export function useConsoleSession(draft: OpenConsole) {
  const { editors } = useWorkspace();
  const { save, keepChoices } = useConsoleActions();
  const { id, saved } = draft;
  const connection = useFindDatabase()(draft.connectionId);
  const entities = useEntities(connection?.id ?? null);
  const dialect = useDialect(connection?.type);
  const language = useScriptLanguage(connection?.type);
  const variables = useVariables(draft.content, dialect, saved);
  const [missing, onMissing] = useMissingValues();
  const [emptyText, setEmptyText] = useState<string | null>(null);
  const [isNaming, setIsNaming] = useState(false);
  const [isEditorOpen, setIsEditorOpen] = useState(() => editors.isAskedFor(draft.id));
  const { values } = variables;
  const context = { connection, dialect, language, values, onMissing, onEmpty: setEmptyText };
  const run = useConsoleRun(draft, context);
  const { latest, failure } = run;
  const isRunning = latest?.status === "running";
  const disabledReason = useDisabledReason(draft.connectionId, connection);
  const canceling = useCancelByKey(run);
  const request = useRunRequests(id, connection !== null || disabledReason !== null, (what) => {
    if (disabledReason !== null || isRunning) return;
    setIsEditorOpen(false);
    if (what === "all") run.runAll();
    else run.runAtCursor();
  });
  const runAtCursor = () => request("at-cursor");
  const runAll = () => request("all");
  useConsoleCommands(draft, {
    run: runAtCursor,
    runAll,
    isRunning,
    latest,
    // The first save asks for a name and a folder, with either way to save.
    save: () => {
      const opened = readOpenedConsoleId() ?? id;
      if (opened !== id) void (isSavedId(opened) && save(opened));
      else if (saved === null) setIsNaming(true);
      else void save(id);
    },
    saveWithMessage: () => setIsNaming(true),
  });
  return {
    connection,
    entities,
    dialect,
    language,
    variables,
    /** Names of the variables without a value. */
    missing,
    run,
    isRunning,
    disabledReason,
    /** Whether the last run found no statement in this text. */
    isEmpty: emptyText === draft.content,
    /** Place of the last error, with the text that it refers to; null without one. */
    error: useMemo(() => (failure?.place ? { ...failure.place, content: failure.run.content } : null), [failure]),
    runAtCursor,
    runAll,
    keepDefaults: useKeepDefaults(draft, values),
    keepChoices: (choices: Console["choices"]) => void keepChoices(id, choices),
    onChange: useTextChange(draft),
    ...canceling,
    isNaming,
    setIsNaming,
    /** Whether a phone shows the editor instead of the result. */
    isEditorOpen,
    setIsEditorOpen,
  };
}

/** Returns a function that stores these values as the console's defaults; null if they are, or it is not saved. */
function useKeepDefaults({ id, saved }: OpenConsole, values: Variables["values"]): (() => void) | null {
  const { keepDefaults } = useConsoleActions();
  const isSending = useRef(false);
  if (saved === null) return null;
  const isKept = Object.entries(values).every(([name, value]) => {
    const kept = saved.variables[name];
    return isSameJson(kept === undefined ? null : toTypedValue(toInput(kept)), value);
  });
  if (isKept) return null;
  const given = Object.entries({ ...saved.variables, ...values }).flatMap(([name, value]) =>
    value === null ? [] : [[name, typeof value === "object" ? toShort(value) : value] as const],
  );
  return () => {
    // A second press before the answer would conflict with the first.
    if (isSending.current) return;
    isSending.current = true;
    void keepDefaults(id, Object.fromEntries(given)).finally(() => {
      isSending.current = false;
    });
  };
}

/** Returns a function that stores the text of a console: as a draft of the saved one, or in the workbench. */
function useTextChange({ id, saved }: OpenConsole) {
  const { workbench, drafts } = useWorkspace();
  return useCallback(
    (content: string) => {
      if (saved !== null) drafts.write(saved, content);
      else workbench.change((each) => changeConsole(each, id, { content, changedAt: Date.now() }));
    },
    [workbench, drafts, id, saved],
  );
}

/** Returns a function that cancels the run by key, and whether it asks first, as it does for a long run. */
function useCancelByKey({ latest, cancel }: ReturnType<typeof useConsoleRun>) {
  const [isAsking, setIsAsking] = useState(false);
  const cancelByKey = useCallback(() => {
    if (latest?.status !== "running") return false;
    if (Date.now() - latest.startedAt > ASK_AFTER_MS) setIsAsking(true);
    else cancel();
    return true;
  }, [latest, cancel]);
  const isRunning = latest?.status === "running";
  useEffect(() => {
    if (!isRunning) setIsAsking(false);
  }, [isRunning]);
  return { cancelByKey, isAsking, setIsAsking };
}

/** Returns the variables without a value, and a function that reports them and moves the focus to the first one. */
function useMissingValues(): [string[], (names: string[]) => void] {
  const [missing, setMissing] = useState<string[]>(NO_NAMES);
  const onMissing = useCallback((names: string[]) => {
    setMissing(names.length === 0 ? NO_NAMES : names);
    if (names[0] === undefined) return;
    announce(`Enter a value for ${names.join(", ")}.`, true);
    document.getElementById(`variable-${names[0]}`)?.focus();
  }, []);
  return [missing, onMissing];
}

/** Returns why the console cannot run; null if it can, or if its connection is still loading. */
function useDisabledReason(connectionId: string | null, connection: Connection | null): string | null {
  const outage = useOutage();
  const { isPending } = useConnections();
  const isLookedUp = useFindConnection()(connectionId) === undefined;
  if (outage !== null) return `${outage}. Run when you reconnect.`;
  return connection === null && !isPending && !isLookedUp ? "No database connected. Add a connection first." : null;
}
