"use client";

import { useSearchParams } from "next/navigation";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useState } from "react";
import { useDialect, useScriptLanguage } from "@/components/connections/use-connection-types";
import { CancelDialog, SaveQuestion } from "@/components/consoles/console-dialogs";
import { ConsoleEditor, loadEditor } from "@/components/consoles/console-editor";
import { ConsoleBar, PhoneHead } from "@/components/consoles/console-head";
import { EditorSkeleton } from "@/components/consoles/editor-skeleton";
import { PhoneConsole } from "@/components/consoles/phone-console";
import { ResultPane } from "@/components/consoles/result-pane";
import { RunStatusBar } from "@/components/consoles/run-status-bar";
import { StaleNotice } from "@/components/consoles/stale-notice";
import { readOpenedConsoleId, useConsoleActions } from "@/components/consoles/use-console-actions";
import { useConsoleCommands } from "@/components/consoles/use-console-commands";
import { useConsoleNews } from "@/components/consoles/use-console-news";
import { useConsoleRun } from "@/components/consoles/use-console-run";
import { type OpenConsole, useSaveState } from "@/components/consoles/use-consoles";
import { useRunRequests } from "@/components/consoles/use-run-requests";
import { useVariables } from "@/components/consoles/use-variables";
import { useFrame } from "@/components/layout/use-frame";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { RunTools } from "@/components/results/run-tools";
import { useConnections, useEntities, useFindDatabase } from "@/components/schema/use-schema";
import { lazyComponent } from "@/components/ui/lazy-component";
import { announce } from "@/components/ui/live-region";
import { useIsPhone, useOutage } from "@/components/ui/use-browser";
import type { Connection } from "@/lib/features/connections/browser/client";
import { changeConsole, isSavedId, SAMPLE_CONSOLE_ID } from "@/lib/features/consoles/browser/workbench";
import { later } from "@/lib/platform/browser/load-again";

const loadSplit = later(() => import("@/components/consoles/console-split"));
const ConsoleSplit = lazyComponent(
  () => {
    // Loads the editor's code in parallel, not after.
    void loadEditor();
    return loadSplit();
  },
  (module) => module.ConsoleSplit,
  EditorSkeleton,
);
const loadCompareView = later(() => import("@/components/consoles/compare-view"));
const CompareView = lazyComponent(loadCompareView, (module) => module.CompareView, EditorSkeleton);
const loadVariableBar = later(() => import("@/components/consoles/variable-bar"));
const VariableBar = lazyComponent(loadVariableBar, (module) => module.VariableBar);
const loadSharedRun = later(() => import("@/components/consoles/shared-run"));
const SharedRun = lazyComponent(loadSharedRun, (module) => module.SharedRun);

const NO_NAMES: string[] = [];
const NOTHING_TO_RUN = "Nothing to run. Write a query first.";

/** Run time after which Escape asks before it cancels (docs/develop/design.md, Keyboard). */
const ASK_AFTER_MS = 30_000;

/** One console: its connection, the editor, the run bar and the result. */
export function ConsoleView({ draft }: { draft: OpenConsole }) {
  const { workbench: store, drafts, editors } = useWorkspace();
  const { save } = useConsoleActions();
  const { isComparing } = useSaveState(draft.id);
  const sharedRunId = useSearchParams().get("run");
  const workbench = useWorkbench();
  const connection = useFindDatabase()(draft.connectionId);
  const entities = useEntities(connection?.id ?? null);
  const isPhone = useIsPhone();
  const dialect = useDialect(connection?.type);
  const language = useScriptLanguage(connection?.type);
  const variables = useVariables(draft.content, dialect);
  const [missing, onMissing] = useMissingValues();
  const [emptyText, setEmptyText] = useState<string | null>(null);
  const { values } = variables;
  const context = { connection, dialect, language, entities, values, onMissing, onEmpty: setEmptyText };
  const run = useConsoleRun(draft, context);
  const news = useConsoleNews(draft);
  const { wrapLines } = useFrame().frame;
  const [isNaming, setIsNaming] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const [isEditorOpen, setIsEditorOpen] = useState(() => editors.isAskedFor(draft.id));
  const { latest, cancel, failure } = run;
  const isRunning = latest?.status === "running";
  const disabledReason = useDisabledReason(connection);

  const { id, saved } = draft;
  const onChange = useCallback(
    (content: string) => {
      if (saved !== null) drafts.write(saved, content);
      else store.change((each) => changeConsole(each, id, { content, changedAt: Date.now() }));
    },
    [store, drafts, id, saved],
  );
  const cancelByKey = useCallback(() => {
    if (latest?.status !== "running") return false;
    if (Date.now() - latest.startedAt > ASK_AFTER_MS) setIsAsking(true);
    else cancel();
    return true;
  }, [latest, cancel]);
  useEffect(() => {
    if (!isRunning) setIsAsking(false);
  }, [isRunning]);
  useEffect(() => {
    document.title = `${draft.name} - Millrace`;
  }, [draft.name]);

  const request = useRunRequests(id, connection !== null || disabledReason !== null, (what) => {
    if (disabledReason !== null || isRunning) return;
    setIsEditorOpen(false);
    if (what === "all") run.runAll();
    else run.runAtCursor();
  });
  const runAtCursor = () => request("at-cursor");
  const runAll = () => request("all");
  const error = useMemo(() => (failure?.place ? { ...failure.place, content: failure.run.content } : null), [failure]);
  const isSampleWaiting =
    workbench !== null && draft.id === (workbench.sampleId ?? SAMPLE_CONSOLE_ID) && !workbench.done.includes("sample");
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

  const editor = (
    <ConsoleEditor
      consoleId={draft.id}
      label={`${draft.name} query`}
      content={draft.content}
      language={language}
      wraps={wrapLines}
      entities={entities}
      error={error}
      onChange={onChange}
      onRun={runAtCursor}
      onRunAll={runAll}
      onEscape={cancelByKey}
    />
  );
  const bound = { consoleId: saved === null ? null : id, variables: values };
  const strip = (
    <RunStatusBar
      run={latest}
      content={draft.content}
      hasRing={isSampleWaiting && !isRunning}
      isExplaining={workbench !== null && !workbench.isStripExplained}
      tag={connection?.tag ?? null}
      disabledReason={disabledReason}
      notice={emptyText === draft.content ? NOTHING_TO_RUN : null}
      tools={
        <RunTools
          draft={draft}
          connection={connection}
          bound={bound}
          disabledReason={disabledReason}
          isRunning={isRunning}
        />
      }
      onRun={runAtCursor}
      onRunAll={runAll}
      onCancel={cancel}
      onExplained={() => store.change((each) => ({ ...each, isStripExplained: true }))}
    />
  );
  const result = (
    // biome-ignore lint/a11y/noStaticElementInteractions: the controls inside act; Escape reaches here from all of them
    <div
      className="result-pane"
      data-region
      onKeyDown={(event: KeyboardEvent) => event.key === "Escape" && !event.defaultPrevented && cancelByKey()}
    >
      {sharedRunId !== null && <SharedRun executionId={sharedRunId} open={draft} latest={latest} />}
      <ResultPane
        draft={draft}
        connection={connection}
        latest={latest}
        isReading={run.isReading}
        lastGood={run.lastGood}
        newer={run.newer}
        onShowNewer={run.showNewer}
        pinned={run.pinned}
        onPin={run.setPinned}
        failure={failure}
        isSample={isSampleWaiting}
        canRun={disabledReason === null && connection !== null}
        onRun={runAtCursor}
        onLoadMore={run.loadMore}
        onShowQuery={() => {
          setIsEditorOpen(true);
          editors.active?.focus();
        }}
      />
    </div>
  );
  const Head = isPhone ? PhoneHead : ConsoleBar;

  return (
    <div className="console" role="tabpanel" id="console-panel" aria-labelledby={`tab-${draft.id}`}>
      <Head draft={draft} connection={connection} editing={news.editing} />
      {draft.isStale && !isComparing && <StaleNotice open={draft} savedBy={news.savedBy} />}
      {variables.names.length > 0 && !isComparing && (
        <VariableBar variables={variables} missing={missing} onRun={runAtCursor} />
      )}
      {isComparing && draft.saved && draft.draft ? (
        <CompareView key={draft.saved.version} open={draft} saved={draft.saved} draft={draft.draft} />
      ) : isPhone ? (
        <PhoneConsole
          content={draft.content}
          dialect={dialect}
          isEditorOpen={isEditorOpen}
          onEditor={setIsEditorOpen}
          editor={editor}
          strip={strip}
          result={result}
        />
      ) : (
        <ConsoleSplit editor={editor} strip={strip} result={result} />
      )}
      {isNaming && <SaveQuestion draft={draft} onClose={() => setIsNaming(false)} />}
      {isAsking && latest && (
        <CancelDialog startedAt={latest.startedAt} onCancel={cancel} onClose={() => setIsAsking(false)} />
      )}
    </div>
  );
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
function useDisabledReason(connection: Connection | null): string | null {
  const outage = useOutage();
  const { isPending } = useConnections();
  if (outage !== null) return `${outage}. Run when you reconnect.`;
  return connection === null && !isPending ? "No database connected. Add a connection first." : null;
}
