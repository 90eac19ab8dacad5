"use client";

import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from "react";
import { useIsAgentOpen } from "@/components/agent/use-agent-panel";
import { PanelEdge } from "@/components/layout/panel-edge";
import { setSideHost, useIsSideTaken } from "@/components/layout/side-slot";
import { useWorkspace } from "@/components/layout/workspace-context";
import { part } from "@/components/ui/part";
import { useIsAwake, useIsSettled } from "@/components/ui/use-browser";
import { loadAgain } from "@/lib/platform/browser/load-again";
import "./agent-dock.css";

const loadPanel = () => import("@/components/agent/agent-panel");

/** Loads the panel before anybody asks for it, and marks the page when all of it is there. */
async function preloadPanel(): Promise<void> {
  try {
    await loadPanel();
    document.documentElement.dataset.agentLoaded = "";
  } catch {
    // The line was cut: whoever opens it asks again.
  }
}
const AgentPanel = part(
  () => loadAgain(loadPanel),
  (module) => module.AgentPanel,
  Loading,
);

/** Where browsers have no word for a quiet moment, the panel is loaded after this time. */
const QUIET_AFTER_MS = 2000;
/** A page that is never quiet loads it all the same. */
const QUIET_WITHIN_MS = 10_000;

/**
 * The agent beside the work. Its script is no part of the first page, and is fetched in a quiet moment after it, or when
 * somebody asks for it: it has to open when the line is cut, too.
 */
export function AgentDock() {
  const { agent } = useWorkspace();
  const { isWanted } = useSyncExternalStore(agent.subscribe, agent.read, agent.read);
  const isOpen = useIsAgentOpen();
  const isTaken = useIsSideTaken();
  const isAwake = useIsAwake();
  const [isQuiet, setIsQuiet] = useState(false);
  // A moment in which a page waits for its first rows is not a quiet one: who does not see the panel does not wait for it.
  const isDue = useIsSettled() || isOpen;
  useEffect(() => {
    if (isDue) return whenQuiet(() => void preloadPanel().then(() => setIsQuiet(true)));
  }, [isDue]);
  useEffect(() => agent.wake(), [agent]);
  // As boot.js has set it for the first paint; another page may want it otherwise.
  useLayoutEffect(() => {
    if (isAwake) document.documentElement.dataset.agent = isOpen || isTaken ? "shown" : "hidden";
  }, [isAwake, isOpen, isTaken]);
  // A place of its own: who draws into it names it.
  if (isAwake && isTaken) return <div ref={setSideHost} className="agent" />;
  if (!isAwake || !isOpen) return null;
  return (
    <aside className="agent" id="agent" aria-label="Agent" data-region tabIndex={-1}>
      <PanelEdge panel="agent" />
      {isQuiet || isWanted ? <AgentPanel /> : <Loading />}
    </aside>
  );
}

function Loading() {
  return <div className="agent-wait" role="status" aria-label="Loading the agent" />;
}

function whenQuiet(act: () => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(act, QUIET_AFTER_MS);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(act, { timeout: QUIET_WITHIN_MS });
  return () => cancelIdleCallback(handle);
}
