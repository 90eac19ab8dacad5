"use client";

import { Lock, Plus, SquareTerminal } from "lucide-react";
import { type RefObject, useEffect, useRef, useSyncExternalStore } from "react";
import { useNewsSentence } from "@/components/consoles/change-notice";
import { ConfirmWrite } from "@/components/consoles/confirm-write";
import { ConsoleTabs } from "@/components/consoles/console-tabs";
import { ConsoleView } from "@/components/consoles/console-view";
import { RollbackDialog } from "@/components/consoles/transaction-bar";
import {
  useActiveConsoleId,
  useConsoleActions,
  useIsHistory,
  useIsSchedule,
} from "@/components/consoles/use-console-actions";
import {
  isGone,
  useConsoleNews,
  useDraft,
  useOpenConsole,
  useRecentConsoles,
  useSavedConsole,
} from "@/components/consoles/use-consoles";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { useConnections, useDatabases } from "@/components/schema/use-schema";
import { lazyComponent } from "@/components/ui/lazy-component";
import { LoadFailure } from "@/components/ui/load-failure";
import { useIsAwake } from "@/components/ui/use-browser";
import { makeSampleConsole, SAMPLE_CONNECTION_NAME } from "@/lib/features/consoles/browser/sample-console";
import {
  addConsole, closeTab, isSavedId, openTab, SAMPLE_CONSOLE_ID, setTitle, type Workbench,
} from "@/lib/features/consoles/browser/workbench"; // biome-ignore format: one look at the whole list
import { later } from "@/lib/platform/browser/load-again";
import "./console.css";
import "@/components/consoles/consoles.css";

const loadHistoryView = later(() => import("@/components/consoles/history-view"));
const HistoryView = lazyComponent(loadHistoryView, (module) => module.HistoryView);
const loadScheduleView = later(() => import("@/components/consoles/schedule-view"));
const ScheduleView = lazyComponent(loadScheduleView, (module) => module.ScheduleView);

/** Console area: tabs, and the console in the address, with its history or schedule. */
export function WorkbenchView() {
  const { workbench: store, consoles } = useWorkspace();
  const workbench = useWorkbench();
  const isAwake = useIsAwake();
  const activeId = useActiveConsoleId();
  const isHistory = useIsHistory();
  const isSchedule = useIsSchedule();
  const { create, land } = useConsoleActions();
  const hasLanded = useRef(false);
  useFirstVisit(activeId);

  const query = useSavedConsole(activeId);
  const active = useOpenConsole(activeId);
  const isMissing = isGone(query.error);

  // Only a new address opens a tab: closing the visible one changes the workbench before the address follows.
  const openId = workbench === null ? null : (active?.id ?? null);
  useEffect(() => {
    if (openId === null) return;
    const saved = consoles.find(openId);
    store.change((each) => (saved ? setTitle(openTab(each, openId), openId, saved) : openTab(each, openId)));
  }, [openId, store, consoles]);

  // Consoles that were deleted elsewhere lose their tab.
  useEffect(() => {
    if (isMissing && activeId !== null) store.change((each) => closeTab(each, activeId));
  }, [isMissing, activeId, store]);

  // The workspace's root address shows the console that was open last. On a phone that address is also the list, so
  // only the first visit redirects. The sample's first address, which may be bookmarked, does the same.
  const hasTabs = workbench !== null && workbench.tabs.length > 0;
  const isOldAddress = activeId === SAMPLE_CONSOLE_ID && workbench !== null && active === null;
  const isLeaving = useIsLeaving(activeId);
  useEffect(() => {
    if (activeId !== null && !isOldAddress) {
      // A user who goes to the list from a console that they opened by its address stays on the list.
      hasLanded.current = true;
      return;
    }
    if (!hasTabs || isLeaving.current) return;
    if (hasLanded.current && !isOldAddress && matchMedia("(max-width: 640px)").matches) return;
    hasLanded.current = true;
    land();
  }, [activeId, hasTabs, isOldAddress, isLeaving, land]);

  if (workbench === null || !isAwake) return <WorkbenchBones />;
  return (
    <main className="bench" aria-label={active ? active.name : "Consoles"}>
      <ConfirmWrite />
      <RollbackDialog />
      <ConsoleTabs workbench={workbench} activeId={active?.id ?? activeId} />
      {active && isHistory ? (
        <HistoryView key={active.id} open={active} />
      ) : active && isSchedule ? (
        <ScheduleView key={active.id} open={active} />
      ) : active ? (
        <ConsoleView key={active.id} draft={active} />
      ) : activeId === null ? (
        <div className="bench-empty">
          <div className="empty">
            <span className="empty-mark">
              <SquareTerminal />
            </span>
            <h1>No console open</h1>
            <p>Open a console from the list or create one.</p>
            <div className="row">
              <button type="button" className="btn primary" onClick={() => create()}>
                <Plus />
                New console
              </button>
            </div>
          </div>
        </div>
      ) : isSavedId(activeId) && query.isPending ? (
        <ConsoleBones />
      ) : query.error && !isMissing ? (
        <div className="bench-empty">
          <LoadFailure error={query.error} onRetry={() => query.refetch()} />
        </div>
      ) : (
        <CannotOpen id={activeId} />
      )}
    </main>
  );
}

/**
 * Returns true once a link was followed from the workspace's root address. A redirect to a console while the other page
 * is still loading would bring the user back.
 */
function useIsLeaving(activeId: string | null): RefObject<boolean> {
  const isLeaving = useRef(false);
  useEffect(() => {
    isLeaving.current = false;
    if (activeId !== null) return;
    const notice = ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest("a[href]")) isLeaving.current = true;
    };
    document.addEventListener("click", notice, true);
    return () => document.removeEventListener("click", notice, true);
  }, [activeId]);
  return isLeaving;
}

/**
 * Missing access and a missing console look the same (docs/develop/design.md, States). Text typed in it before is not
 * lost.
 */
function CannotOpen({ id }: { id: string }) {
  const { drafts, consoles } = useWorkspace();
  const { open, create } = useConsoleActions();
  const workbench = useWorkbench();
  const draft = useDraft(id);
  const news = useConsoleNews(id);
  const sentence = useNewsSentence(news);
  const isDeleted = news?.effect === "deleted";
  const lastId = workbench?.lastActiveId ?? null;
  const keep = () => {
    if (draft === null) return;
    create(null, { content: draft.content });
    drafts.drop(id);
  };
  return (
    <div className="bench-empty">
      <div className="empty">
        <span className="empty-mark">
          <Lock />
        </span>
        <h1>{isDeleted ? "Console deleted" : "Console not found"}</h1>
        <p>{isDeleted ? sentence : "It may be private or deleted. Ask the sender to share it."}</p>
        {draft !== null && <p>Your unsaved draft is kept.</p>}
        <div className="row">
          {draft !== null && (
            <button type="button" className="btn primary" onClick={keep}>
              Save as new console
            </button>
          )}
          {isDeleted && (
            <button type="button" className="btn" onClick={() => void consoles.undelete(id)}>
              Restore console
            </button>
          )}
          <button type="button" className="btn" onClick={() => (lastId === null ? create() : open(lastId))}>
            Back to consoles
          </button>
        </div>
      </div>
    </div>
  );
}

/**
 * Decides what a first visit shows: the console that the team saved last, else the sample's console if there is a
 * sample, else an empty workbench.
 */
function useFirstVisit(activeId: string | null): void {
  const { workbench: store, consoles } = useWorkspace();
  const workbench = useWorkbench();
  const isSettled = useSyncExternalStore(store.subscribe, store.isSettled, () => false);
  const connections = useConnections();
  const list = useRecentConsoles(workbench === null);
  const databases = useDatabases();
  const isDeciding = useRef(false);
  const isReady = workbench === null && isSettled && !connections.isPending && !list.isPending;
  useEffect(() => {
    if (!isReady || isDeciding.current) return;
    isDeciding.current = true;
    const decide = async () => {
      const newest = list.data?.[0];
      const sample = databases.find(({ name }) => name === SAMPLE_CONNECTION_NAME);
      const isLinked = activeId !== null && isSavedId(activeId);
      if (newest || !sample || isLinked) {
        store.change((now) =>
          newest && !isLinked ? keepActive(now, setTitle(openTab(now, newest.id), newest.id, newest)) : { ...now },
        );
        return;
      }
      const draft = makeSampleConsole(sample.id);
      const { name, content, connectionId } = draft;
      const saved = await consoles.tryCreate({ name, content, connectionId });
      // Without the server the console stays local, and can be saved later like any other.
      store.change((now) =>
        keepActive(
          now,
          saved === null
            ? addConsole(now, { ...draft, changedAt: Date.now() })
            : { ...setTitle(openTab(now, saved.id), saved.id, saved), sampleId: saved.id },
        ),
      );
    };
    void decide();
  }, [isReady, activeId, list.data, databases, store, consoles]);
}

/** The user may have opened a console while the first one was being decided. */
function keepActive(now: Workbench, next: Workbench): Workbench {
  return { ...next, lastActiveId: now.lastActiveId ?? next.lastActiveId };
}

const BONE_LINES = [48, 34, 52, 26, 38, 22, 30];

function ConsoleBones() {
  return (
    <>
      <div className="bar" />
      <div className="editor-skeleton" role="status" aria-label="Loading console">
        {BONE_LINES.map((width) => (
          <i key={width} className="bone" style={{ width: `${width}%` }} />
        ))}
      </div>
    </>
  );
}

function WorkbenchBones() {
  return (
    <main className="bench" aria-busy="true" aria-label="Consoles">
      <div className="tabs" />
      <ConsoleBones />
    </main>
  );
}
