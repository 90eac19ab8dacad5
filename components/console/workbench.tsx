"use client";

import { Lock, Plus, SquareTerminal } from "lucide-react";
import { useEffect, useRef } from "react";
import { ConsoleTabs } from "@/components/console/console-tabs";
import { ConsoleView } from "@/components/console/console-view";
import { useActiveConsoleId, useConsoleActions } from "@/components/console/use-console-actions";
import { useConnections, useDatabases } from "@/components/schema/use-schema";
import { useDesk, useWorkspace } from "@/components/shell/workspace-context";
import { useIsAwake } from "@/components/ui/use-browser";
import { addConsole, EMPTY_DESK, findConsole, openTab } from "@/lib/ui/desk";
import { makeSampleConsole, SAMPLE_CONNECTION_NAME } from "@/lib/ui/sample-console";
import "./console.css";

/** The area of consoles: tabs, and the console that the address names. */
export function Workbench() {
  const { desk: store } = useWorkspace();
  const desk = useDesk();
  const isAwake = useIsAwake();
  const activeId = useActiveConsoleId();
  const { create, land } = useConsoleActions();
  const hasLanded = useRef(false);
  useFirstVisit();

  const active = desk && findConsole(desk, activeId);
  // Only a new address opens a tab: closing the one that is shown changes the desk before the address follows.
  const isDeskRead = desk !== null;
  useEffect(() => {
    if (isDeskRead && activeId !== null) store.change((each) => openTab(each, activeId));
  }, [isDeskRead, activeId, store]);

  // The workspace's own address shows the console that was open last. On a phone that address is also the list, so only
  // the first look lands.
  const hasTabs = desk !== null && desk.tabs.length > 0;
  useEffect(() => {
    if (activeId !== null || !hasTabs) return;
    if (hasLanded.current && matchMedia("(max-width: 640px)").matches) return;
    hasLanded.current = true;
    land();
  }, [activeId, hasTabs, land]);

  if (desk === null || !isAwake) return <WorkbenchBones />;
  return (
    <main className="bench" aria-label={active ? active.name : "Consoles"}>
      <ConsoleTabs desk={desk} activeId={active?.id ?? null} />
      {active ? (
        <ConsoleView key={active.id} draft={active} />
      ) : activeId === null ? (
        <div className="bench-empty">
          <div className="empty">
            <span className="empty-mark">
              <SquareTerminal />
            </span>
            <h1>No console is open</h1>
            <p>A console holds a query and its last result. Open one from the list, or make a new one.</p>
            <div className="row">
              <button type="button" className="btn primary" onClick={() => create()}>
                <Plus />
                New console
              </button>
            </div>
          </div>
        </div>
      ) : (
        <CannotOpen />
      )}
    </main>
  );
}

/** No access and not found look the same (design, section 5). */
function CannotOpen() {
  const { open, create } = useConsoleActions();
  const desk = useDesk();
  const lastId = desk?.lastActiveId ?? null;
  return (
    <div className="bench-empty">
      <div className="empty">
        <span className="empty-mark">
          <Lock />
        </span>
        <h1>You cannot open this console</h1>
        <p>
          It is private, was moved, or never existed. Ask the person who sent the link to share it with your workspace.
        </p>
        <div className="row">
          <button type="button" className="btn" onClick={() => (lastId === null ? create() : open(lastId))}>
            Back to consoles
          </button>
        </div>
      </div>
    </div>
  );
}

/** Decides what a first visit finds: the sample's console where the sample is, else an empty desk. */
function useFirstVisit(): void {
  const { desk: store } = useWorkspace();
  const desk = useDesk();
  const isAwake = useIsAwake();
  const { isSuccess } = useConnections();
  const databases = useDatabases();
  useEffect(() => {
    if (desk !== null || !isAwake || !isSuccess || store.read() !== null) return;
    const sample = databases.find(({ name }) => name === SAMPLE_CONNECTION_NAME);
    store.change(() => (sample ? addConsole(EMPTY_DESK, makeSampleConsole(sample.id)) : EMPTY_DESK));
  }, [desk, isAwake, isSuccess, databases, store]);
}

const BONE_LINES = [48, 34, 52, 26, 38, 22, 30];

function WorkbenchBones() {
  return (
    <main className="bench" aria-busy="true" aria-label="Consoles">
      <div className="tabs" />
      <div className="bar" />
      <div className="editor-bones">
        {BONE_LINES.map((width) => (
          <i key={width} className="bone" style={{ width: `${width}%` }} />
        ))}
      </div>
    </main>
  );
}
