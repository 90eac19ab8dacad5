"use client";

import { Maximize2, X } from "lucide-react";
import { useSearchParams } from "next/navigation";
import {
  type KeyboardEvent,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";
import { useDialect, useScriptLanguage } from "@/components/connections/use-connection-types";
import { ConsoleBar, PhoneHead } from "@/components/consoles/console-head";
import type { WhatToRun } from "@/components/consoles/editor-memory";
import { ResultPane } from "@/components/consoles/result-pane";
import { RunStatusBar } from "@/components/consoles/run-status-bar";
import { StaleNotice } from "@/components/consoles/stale-notice";
import { readOpenedConsoleId, useConsoleActions } from "@/components/consoles/use-console-actions";
import { useConsoleCommands } from "@/components/consoles/use-console-commands";
import { useConsoleNews } from "@/components/consoles/use-console-news";
import { useConsoleRun } from "@/components/consoles/use-console-run";
import { type OpenConsole, useSaveState } from "@/components/consoles/use-consoles";
import { useVariables } from "@/components/consoles/use-variables";
import { SqlCode } from "@/components/editor/sql-code";
import { useFrame } from "@/components/layout/use-frame";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { RunTools } from "@/components/results/run-tools";
import { useConnections, useEntities, useFindDatabase } from "@/components/schema/use-schema";
import { lazyComponent } from "@/components/ui/lazy-component";
import { announce } from "@/components/ui/live-region";
import { useIsPhone, useOutage } from "@/components/ui/use-browser";
import { changeConsole, isSavedId, SAMPLE_CONSOLE_ID } from "@/lib/features/consoles/browser/workbench";
import { later } from "@/lib/platform/browser/load-again";

const loadEditor = later(() => import("@/components/consoles/code-editor"));
const loadSplit = later(() => import("@/components/consoles/console-split"));
const CodeEditor = lazyComponent(loadEditor, (module) => module.CodeEditor, EditorBones);
const ConsoleSplit = lazyComponent(
  () => {
    // Loads the editor's code in parallel, not after.
    void loadEditor();
    return loadSplit();
  },
  (module) => module.ConsoleSplit,
  EditorBones,
);
const loadCancelQuestion = later(() => import("@/components/consoles/cancel-question"));
const CancelQuestion = lazyComponent(loadCancelQuestion, (module) => module.CancelQuestion);

const loadCompareView = later(() => import("@/components/consoles/compare-view"));
const CompareView = lazyComponent(loadCompareView, (module) => module.CompareView, EditorBones);
const loadSaveDialog = later(() => import("@/components/consoles/save-dialog"));
const SaveDialog = lazyComponent(loadSaveDialog, (module) => module.SaveDialog);
const loadFirstSaveDialog = later(() => import("@/components/consoles/first-save-dialog"));
const FirstSaveDialog = lazyComponent(loadFirstSaveDialog, (module) => module.FirstSaveDialog);
const loadVariableBar = later(() => import("@/components/consoles/variable-bar"));
const VariableBar = lazyComponent(loadVariableBar, (module) => module.VariableBar);
const loadSharedRun = later(() => import("@/components/consoles/shared-run"));
const SharedRun = lazyComponent(loadSharedRun, (module) => module.SharedRun);

const NO_NAMES: string[] = [];
const NOTHING_TO_RUN = "There is nothing to run. Write a query first.";

/** Run time after which Escape asks before it cancels (docs/develop/design.md, Keyboard). */
const ASK_AFTER_MS = 30_000;

/** One console: its connection, the editor, the run bar and the result. */
export function ConsoleView({ draft }: { draft: OpenConsole }) {
  const { workbench: store, drafts, editors, commands } = useWorkspace();
  const { save, rename } = useConsoleActions();
  const { isComparing } = useSaveState(draft.id);
  const sharedRunId = useSearchParams().get("run");
  const workbench = useWorkbench();
  const connection = useFindDatabase()(draft.connectionId);
  const entities = useEntities(connection?.id ?? null);
  const outage = useOutage();
  const isPhone = useIsPhone();
  const dialect = useDialect(connection?.type);
  const language = useScriptLanguage(connection?.type);
  const variables = useVariables(draft.content, dialect);
  const [missing, setMissing] = useState<string[]>(NO_NAMES);
  const onMissing = useCallback((names: string[]) => {
    setMissing(names.length === 0 ? NO_NAMES : names);
    if (names[0] === undefined) return;
    announce(`A value is missing for ${names.join(", ")}.`, true);
    document.getElementById(`variable-${names[0]}`)?.focus();
  }, []);
  const [emptyText, setEmptyText] = useState<string | null>(null);
  const run = useConsoleRun(draft, {
    connection,
    dialect,
    language,
    entities,
    values: variables.values,
    onMissing,
    onEmpty: setEmptyText,
  });
  const news = useConsoleNews(draft);
  const { wrapLines } = useFrame().frame;
  const [isNaming, setIsNaming] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const [isEditorOpen, setIsEditorOpen] = useState(() => editors.isAskedFor(draft.id));
  const [isHinting, setIsHinting] = useState(false);
  const isHintSeen = workbench?.isEditorHintSeen ?? true;
  const { latest } = run;
  const isRunning = latest?.status === "running";
  const connectionsQuery = useConnections();

  const { id, saved } = draft;
  const onChange = useCallback(
    (content: string) => {
      if (saved !== null) drafts.write(saved, content);
      else store.change((each) => changeConsole(each, id, { content, changedAt: Date.now() }));
    },
    [store, drafts, id, saved],
  );
  const { cancel, runAtCursor, runAll } = run;
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

  const disabledReason =
    outage !== null
      ? `${outage}. Run works again when the server answers.`
      : connection === null && !connectionsQuery.isPending
        ? "No database is connected to this workspace."
        : null;
  const isDecided = connection !== null || disabledReason !== null;
  const runThat = (what: WhatToRun) => () => {
    // A shortcut may come before the newly opened tab is rendered, and before the list of connections is loaded.
    const opened = readOpenedConsoleId() ?? id;
    if (opened !== id || !isDecided) return editors.askToRun(opened, what);
    if (disabledReason !== null || isRunning) return;
    setIsEditorOpen(false);
    if (what === "all") runAll();
    else runAtCursor();
  };
  const toRun = useSyncExternalStore(
    editors.subscribe,
    () => editors.toRun(id),
    () => null,
  );
  const runAsked = useEffectEvent((what: WhatToRun) => {
    editors.forgetToRun();
    runThat(what)();
  });
  useEffect(() => {
    if (toRun !== null && isDecided) runAsked(toRun);
  }, [toRun, isDecided]);
  const bound = { consoleId: saved === null ? null : id, variables: variables.values };
  const { failure } = run;
  const error = useMemo(() => (failure?.place ? { ...failure.place, content: failure.run.content } : null), [failure]);
  const isSampleWaiting =
    workbench !== null && draft.id === (workbench.sampleId ?? SAMPLE_CONSOLE_ID) && !workbench.done.includes("sample");

  useConsoleCommands(draft, {
    run: runThat("at-cursor"),
    runAll: runThat("all"),
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
    // biome-ignore lint/a11y/noStaticElementInteractions: it only watches the focus come and go
    <div
      className="editor-pane"
      data-region
      onFocus={() => setIsHinting(!isHintSeen)}
      onBlur={() => {
        setIsHinting(false);
        if (!isHintSeen) store.change((each) => ({ ...each, isEditorHintSeen: true }));
      }}
    >
      <CodeEditor
        consoleId={draft.id}
        label={`Query of ${draft.name}`}
        content={draft.content}
        language={language}
        wraps={wrapLines}
        entities={entities}
        error={error}
        onChange={onChange}
        onRun={runThat("at-cursor")}
        onRunAll={runThat("all")}
        onCommand={(command) => commands.run(command)}
        onEscape={cancelByKey}
      />
      {isHinting && <p className="editor-hint">Tab indents. Press Esc, then Tab to leave the editor.</p>}
    </div>
  );
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
      onRun={runThat("at-cursor")}
      onRunAll={runThat("all")}
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
        onRun={runThat("at-cursor")}
        onLoadMore={run.loadMore}
        onShowQuery={() => {
          setIsEditorOpen(true);
          editors.active?.focus();
        }}
      />
    </div>
  );

  return (
    <div className="console" role="tabpanel" id="console-panel" aria-labelledby={`tab-${draft.id}`}>
      {isPhone ? (
        <PhoneHead draft={draft} connection={connection} editing={news.editing} />
      ) : (
        <ConsoleBar draft={draft} connection={connection} editing={news.editing} />
      )}
      {draft.isStale && !isComparing && <StaleNotice open={draft} savedBy={news.savedBy} />}
      {variables.names.length > 0 && !isComparing && (
        <VariableBar variables={variables} missing={missing} onRun={runThat("at-cursor")} />
      )}
      {isComparing && draft.saved && draft.draft ? (
        <CompareView key={draft.saved.version} open={draft} saved={draft.saved} draft={draft.draft} />
      ) : isPhone ? (
        <>
          <div className={isEditorOpen ? "phone-editor open" : "phone-editor"}>
            {isEditorOpen ? (
              <>
                <button type="button" className="phone-close" onClick={() => setIsEditorOpen(false)}>
                  <X />
                  Close the editor
                </button>
                {editor}
              </>
            ) : (
              <button type="button" className="phone-preview" onClick={() => setIsEditorOpen(true)}>
                <code className="code">
                  <SqlCode text={toPreview(draft.content)} dialect={dialect} />
                </code>
                <span className="row xs">
                  <Maximize2 className="s" />
                  {toOpenLabel(draft.content)}
                </span>
              </button>
            )}
          </div>
          {!isEditorOpen && result}
          {strip}
        </>
      ) : (
        <ConsoleSplit editor={editor} strip={strip} result={result} />
      )}
      {isNaming && saved === null && (
        <FirstSaveDialog
          name={draft.name}
          onSave={(name, place, message) => {
            setIsNaming(false);
            rename(id, name);
            void save(id, message, place);
          }}
          onClose={() => setIsNaming(false)}
        />
      )}
      {isNaming && saved !== null && (
        <SaveDialog
          name={draft.name}
          onSave={(message) => {
            setIsNaming(false);
            void save(draft.id, message);
          }}
          onClose={() => setIsNaming(false)}
        />
      )}
      {isAsking && latest && (
        <CancelQuestion
          startedAt={latest.startedAt}
          onCancel={() => {
            setIsAsking(false);
            cancel();
          }}
          onKeep={() => setIsAsking(false)}
        />
      )}
    </div>
  );
}

/** Returns the first two lines with content. */
function toPreview(content: string): string {
  const lines = content.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("--"));
  if (lines.length === 0) return "Write a query";
  return lines.slice(0, 2).join("\n") + (lines.length > 2 ? " ..." : "");
}

function toOpenLabel(content: string): string {
  const count = content.split("\n").length;
  return count < 2 ? "Open the editor" : `Open all ${count} lines`;
}

const BONE_LINES = [48, 34, 52, 26, 38, 22, 30];

function EditorBones() {
  return (
    <div className="editor-skeleton" aria-busy="true">
      {BONE_LINES.map((width) => (
        <i key={width} className="bone" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
