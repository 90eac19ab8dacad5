"use client";

import { useSearchParams } from "next/navigation";
import { type KeyboardEvent, useEffect } from "react";
import { ChangeNotice, OtherDraftNotice } from "@/components/consoles/change-notice";
import { CancelDialog, SaveQuestion } from "@/components/consoles/console-dialogs";
import { ConsoleEditor, loadEditor } from "@/components/consoles/console-editor";
import { ConsoleBar, PhoneHead } from "@/components/consoles/console-head";
import { EditorSkeleton } from "@/components/consoles/editor-skeleton";
import { PhoneConsole } from "@/components/consoles/phone-console";
import { ResultPane } from "@/components/consoles/result-pane";
import { RunStatusBar } from "@/components/consoles/run-status-bar";
import { TransactionBar, TransactionSwitch } from "@/components/consoles/transaction-bar";
import { type ConsoleSession, useConsoleSession } from "@/components/consoles/use-console-session";
import { type OpenConsole, useSaveState } from "@/components/consoles/use-consoles";
import { useEditingUsers } from "@/components/consoles/use-editing-users";
import { useFrame } from "@/components/layout/use-frame";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { useMetricNames } from "@/components/metrics/use-metrics";
import { RunTools } from "@/components/results/run-tools";
import { lazyComponent } from "@/components/ui/lazy-component";
import { useIsPhone } from "@/components/ui/use-browser";
import { SAMPLE_CONSOLE_ID } from "@/lib/features/consoles/browser/workbench";
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

const NOTHING_TO_RUN = "Nothing to run. Write a query first.";

/** One console: its connection, the editor, the run bar and the result. */
export function ConsoleView({ draft }: { draft: OpenConsole }) {
  const session = useConsoleSession(draft);
  const { isComparing } = useSaveState(draft.id);
  const editing = useEditingUsers(draft.id);
  const isPhone = useIsPhone();
  const { connection, dialect, variables, run } = session;
  useEffect(() => {
    document.title = `${draft.name} - Millrace`;
  }, [draft.name]);
  const parts = {
    editor: <Editor draft={draft} session={session} />,
    strip: <RunBar draft={draft} session={session} />,
    result: <Result draft={draft} session={session} />,
  };
  const Head = isPhone ? PhoneHead : ConsoleBar;
  return (
    <div className="console" role="tabpanel" id="console-panel" aria-labelledby={`tab-${draft.id}`}>
      <Head draft={draft} connection={connection} editing={editing} />
      {isPhone && (
        <div className="tx-phone">
          <TransactionSwitch consoleId={draft.id} name={draft.name} connection={connection} />
        </div>
      )}
      <TransactionBar consoleId={draft.id} connection={connection} />
      {!isComparing && <ChangeNotice open={draft} />}
      <OtherDraftNotice open={draft} />
      {variables.list.length > 0 && !isComparing && (
        <VariableBar
          variables={variables}
          missing={session.missing}
          onRun={session.runAtCursor}
          onKeep={session.keepDefaults}
          choices={draft.saved?.choices ?? {}}
          onChoices={draft.saved && session.keepChoices}
        />
      )}
      {isComparing && draft.saved && draft.draft ? (
        <CompareView key={draft.saved.version} open={draft} saved={draft.saved} draft={draft.draft} />
      ) : isPhone ? (
        <PhoneConsole
          content={draft.content}
          dialect={dialect}
          isEditorOpen={session.isEditorOpen}
          onEditor={session.setIsEditorOpen}
          {...parts}
        />
      ) : (
        <ConsoleSplit {...parts} />
      )}
      {session.isNaming && <SaveQuestion draft={draft} onClose={() => session.setIsNaming(false)} />}
      {session.isAsking && run.latest && (
        <CancelDialog
          startedAt={run.latest.startedAt}
          onCancel={run.cancel}
          onClose={() => session.setIsAsking(false)}
        />
      )}
    </div>
  );
}

type PartProps = { draft: OpenConsole; session: ConsoleSession };

function Editor({ draft, session }: PartProps) {
  const { wrapLines } = useFrame().frame;
  // Most consoles name no metric, and need not read them.
  const metrics = useMetricNames(/metr/i.test(draft.content));
  return (
    <ConsoleEditor
      consoleId={draft.id}
      label={`${draft.name} query`}
      content={draft.content}
      language={session.language}
      wraps={wrapLines}
      entities={session.entities}
      metrics={metrics.map(({ name }) => name)}
      error={session.error}
      onChange={session.onChange}
      onRun={session.runAtCursor}
      onRunAll={session.runAll}
      onEscape={session.cancelByKey}
    />
  );
}

function RunBar({ draft, session }: PartProps) {
  const { workbench: store } = useWorkspace();
  const workbench = useWorkbench();
  const isSampleWaiting = useIsSampleWaiting(draft);
  const { connection, run, isRunning, disabledReason } = session;
  const bound = { consoleId: draft.saved === null ? null : draft.id, variables: session.variables.values };
  return (
    <RunStatusBar
      run={run.latest}
      content={draft.content}
      hasRing={isSampleWaiting && !isRunning}
      isExplaining={workbench !== null && !workbench.isStripExplained}
      tag={connection?.tag ?? null}
      disabledReason={disabledReason}
      notice={session.isEmpty ? NOTHING_TO_RUN : null}
      tools={
        <RunTools
          draft={draft}
          connection={connection}
          bound={bound}
          disabledReason={disabledReason}
          isRunning={isRunning}
        />
      }
      onRun={session.runAtCursor}
      onRunAll={session.runAll}
      onCancel={run.cancel}
      onExplained={() => store.change((each) => ({ ...each, isStripExplained: true }))}
    />
  );
}

function Result({ draft, session }: PartProps) {
  const { editors } = useWorkspace();
  const sharedRunId = useSearchParams().get("run");
  const isSampleWaiting = useIsSampleWaiting(draft);
  const { connection, run, disabledReason, cancelByKey } = session;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the controls inside act; Escape reaches here from all of them
    <div
      className="result-pane"
      data-region
      onKeyDown={(event: KeyboardEvent) => event.key === "Escape" && !event.defaultPrevented && cancelByKey()}
    >
      {sharedRunId !== null && <SharedRun executionId={sharedRunId} open={draft} latest={run.latest} />}
      <ResultPane
        draft={draft}
        connection={connection}
        latest={run.latest}
        isReading={run.isReading}
        lastGood={run.lastGood}
        newer={run.newer}
        onShowNewer={run.showNewer}
        pinned={run.pinned}
        onPin={run.setPinned}
        failure={run.failure}
        isSample={isSampleWaiting}
        canRun={disabledReason === null && connection !== null}
        onRun={session.runAtCursor}
        onLoadMore={run.loadMore}
        onRunAgain={run.runAgain}
        onShowQuery={() => {
          session.setIsEditorOpen(true);
          editors.active?.focus();
        }}
      />
    </div>
  );
}

/** Returns whether the console is the sample that the first-run guide asks to run. */
function useIsSampleWaiting({ id }: OpenConsole): boolean {
  const workbench = useWorkbench();
  return workbench !== null && id === (workbench.sampleId ?? SAMPLE_CONSOLE_ID) && !workbench.done.includes("sample");
}
