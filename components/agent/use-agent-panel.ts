"use client";

import { usePathname } from "next/navigation";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
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
const isOverWork = createStore(() => false);

/** Whether the agent's panel is visible on this page. */
export function useIsAgentOpen(): boolean {
  const { frame } = useFrame();
  const isBeside = isBesideWork(usePathname());
  const isOver = useMediaQuery(OVER_QUERY);
  const isOpenOver = useStore(isOverWork);
  if (isOver) return isOpenOver;
  return isBeside ? frame.agentBesideWork : frame.agentElsewhere;
}

/** Shows or hides the panel; the state is stored for pages like this one. */
export function setAgentOpen(isOpen: boolean): void {
  if (matchMedia(OVER_QUERY).matches) {
    isOverWork.setState(isOpen);
  } else if (isBesideWork(window.location.pathname)) updateFrame({ agentBesideWork: isOpen });
  else updateFrame({ agentElsewhere: isOpen });
}

/** Closes the panel if it covers the workspace. */
export function uncoverWork(): void {
  if (matchMedia(OVER_QUERY).matches) setAgentOpen(false);
}
