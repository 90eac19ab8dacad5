"use client";

import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from "react";
import { useIsAgentOpen } from "@/components/agent/use-agent-panel";
import { PanelEdge } from "@/components/layout/panel-edge";
import { setSideHost, useIsSideTaken } from "@/components/layout/side-slot";
import { useWorkspace } from "@/components/layout/workspace-context";
import { lazyComponent } from "@/components/ui/lazy-component";
import { useIsAwake, useIsSettled } from "@/components/ui/use-browser";
import { loadAgain } from "@/lib/platform/browser/load-again";
import "./agent-dock.css";

const loadPanel = () => import("@/components/agent/agent-panel");

/** Loads the panel before the user opens it, and marks the page once all of it is loaded. */
async function preloadPanel(): Promise<void> {
  try {
    await loadPanel();
    document.documentElement.dataset.agentLoaded = "";
  } catch {
    // The connection was lost. Opening the panel loads it again.
  }
}
const AgentPanel = lazyComponent(
  () => loadAgain(loadPanel),
  (module) => module.AgentPanel,
  Loading,
);

/** Delay before the panel loads in browsers without `requestIdleCallback`, in ms. */
const QUIET_AFTER_MS = 2000;
/** Time after which the panel loads even if the browser was never idle, in ms. */
const QUIET_WITHIN_MS = 10_000;

/**
 * The agent's panel beside the workspace. Its script is not part of the first page. It loads when the browser is idle,
 * or when the user asks for it, so that it also opens after the connection is lost.
 */
export function AgentDock() {
  const { agent } = useWorkspace();
  const { isWanted } = useSyncExternalStore(agent.subscribe, agent.read, agent.read);
  const isOpen = useIsAgentOpen();
  const isTaken = useIsSideTaken();
  const isAwake = useIsAwake();
  const [isQuiet, setIsQuiet] = useState(false);
  // A page that waits for its first rows is not idle: a hidden panel waits for them.
  const isDue = useIsSettled() || isOpen;
  useEffect(() => {
    if (isDue) return whenQuiet(() => void preloadPanel().then(() => setIsQuiet(true)));
  }, [isDue]);
  useEffect(() => agent.wake(), [agent]);
  // boot.js has set it for the first paint; another page may need another value.
  useLayoutEffect(() => {
    if (isAwake) document.documentElement.dataset.agent = isOpen || isTaken ? "shown" : "hidden";
  }, [isAwake, isOpen, isTaken]);
  // A separate element: the view that renders into it gives it its label.
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
  return <div className="agent-wait" role="status" aria-label="Loading agent" />;
}

function whenQuiet(act: () => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(act, QUIET_AFTER_MS);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(act, { timeout: QUIET_WITHIN_MS });
  return () => cancelIdleCallback(handle);
}
