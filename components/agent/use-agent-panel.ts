"use client";

import { usePathname } from "next/navigation";
import { useSyncExternalStore } from "react";
import { updateFrame, useFrame } from "@/components/layout/use-frame";
import { useMediaQuery } from "@/components/ui/use-browser";
import { isBesideWork } from "@/lib/features/accounts/browser/frame-preferences";

/**
 * Width up to which the panel covers the workspace and starts closed. The same as in components/shell/boot.js and the
 * styles.
 */
const OVER_QUERY = "(max-width: 1200px)";

/**
 * Whether the panel currently covers the workspace. The stored state applies only to the panel beside the workspace.
 */
let isOverWork = false;
const listeners = new Set<() => void>();

/** Whether the agent's panel is visible on this page. */
export function useIsAgentOpen(): boolean {
  const { frame } = useFrame();
  const isBeside = isBesideWork(usePathname());
  const isOver = useMediaQuery(OVER_QUERY);
  const isOpenOver = useSyncExternalStore(subscribe, read, () => false);
  if (isOver) return isOpenOver;
  return isBeside ? frame.agentBesideWork : frame.agentElsewhere;
}

/** Shows or hides the panel; the state is stored for pages like this one. */
export function setAgentOpen(isOpen: boolean): void {
  if (matchMedia(OVER_QUERY).matches) {
    isOverWork = isOpen;
    for (const listener of listeners) listener();
  } else if (isBesideWork(window.location.pathname)) updateFrame({ agentBesideWork: isOpen });
  else updateFrame({ agentElsewhere: isOpen });
}

/** Closes the panel if it covers the workspace. */
export function uncoverWork(): void {
  if (matchMedia(OVER_QUERY).matches) setAgentOpen(false);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): boolean {
  return isOverWork;
}
