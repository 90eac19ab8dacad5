"use client";

import { usePathname } from "next/navigation";
import { useSyncExternalStore } from "react";
import { updateFrame, useFrame } from "@/components/layout/use-frame";
import { useMediaQuery } from "@/components/ui/use-browser";
import { isBesideWork } from "@/lib/features/accounts/browser/frame-preferences";

/** So wide the agent lies over the work, and a page begins without it. components/shell/boot.js and the styles say the same. */
const OVER_QUERY = "(max-width: 1200px)";

/** Lying over the work it is open for now: what is kept is how somebody wants it beside the work. */
let isOverWork = false;
const listeners = new Set<() => void>();

/** Whether the agent's panel is to be seen on this page. */
export function useIsAgentOpen(): boolean {
  const { frame } = useFrame();
  const isBeside = isBesideWork(usePathname());
  const isOver = useMediaQuery(OVER_QUERY);
  const isOpenOver = useSyncExternalStore(subscribe, read, () => false);
  if (isOver) return isOpenOver;
  return isBeside ? frame.agentBesideWork : frame.agentElsewhere;
}

/** Shows the panel or puts it away; kept for places like this one. */
export function setAgentOpen(isOpen: boolean): void {
  if (matchMedia(OVER_QUERY).matches) {
    isOverWork = isOpen;
    for (const listener of listeners) listener();
  } else if (isBesideWork(window.location.pathname)) updateFrame({ agentBesideWork: isOpen });
  else updateFrame({ agentElsewhere: isOpen });
}

/** Where it lies over the work it is put away, so that the work is seen. */
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
