"use client";

import { useSyncExternalStore } from "react";
import { createStore } from "zustand/vanilla";
import {
  FRAME_DEFAULTS,
  FRAME_KEY,
  type FramePreferences,
  parseFramePreferences,
} from "@/lib/features/accounts/browser/frame-preferences";

/**
 * At this width and below, the explorer covers the work, and a page starts without it. boot.js and the styles use the
 * same.
 */
const OVER_QUERY = "(max-width: 900px)";

/** Stored preferences of the frame. */
let kept: FramePreferences | null = null;
/** The preferences that this page has found when it opened. */
let found: FramePreferences | null = null;
/** Whether the explorer is open over the work for now. The stored preference is for the explorer beside the work. */
let isOverWork = false;
/** Shown preferences with their inputs: the same object until an input changes. */
let shown: { of: FramePreferences; isNarrow: boolean; isOverWork: boolean; frame: FramePreferences } | null = null;
const changes = createStore(() => 0);

/**
 * Returns the frame's sizes and theme in this browser, and a function that changes them. Changes apply at once and are
 * stored.
 */
export function useFrame() {
  const frame = useSyncExternalStore(subscribeFrame, readFrame, () => FRAME_DEFAULTS);
  return { frame, update: updateFrame };
}

export function updateFrame(change: Partial<FramePreferences>): void {
  const { explorerOpen, ...others } = change;
  if (explorerOpen !== undefined && isNarrow()) isOverWork = explorerOpen;
  else if (explorerOpen !== undefined) Object.assign(others, { explorerOpen });
  if (Object.keys(others).length > 0) keep({ ...readKept(), ...others });
  show();
}

export function readFrame(): FramePreferences {
  const of = readKept();
  const narrow = isNarrow();
  if (shown?.of !== of || shown.isNarrow !== narrow || shown.isOverWork !== isOverWork) {
    shown = { of, isNarrow: narrow, isOverWork, frame: narrow ? { ...of, explorerOpen: isOverWork } : of };
  }
  return shown.frame;
}

export function subscribeFrame(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key !== FRAME_KEY) return;
    kept = parseFramePreferences(event.newValue);
    show();
  };
  const width = matchMedia(OVER_QUERY);
  const onWidth = () => {
    isOverWork = false;
    show();
  };
  const leave = changes.subscribe(listener);
  addEventListener("storage", onStorage);
  width.addEventListener("change", onWidth);
  return () => {
    leave();
    removeEventListener("storage", onStorage);
    width.removeEventListener("change", onWidth);
  };
}

/** Closes the explorer on a narrow page, after a click on the work that it covers. */
export function uncoverFromExplorer(): void {
  if (isNarrow()) updateFrame({ explorerOpen: false });
}

/** Returns the preferences before any change in this page. */
export function readFoundFrame(): FramePreferences {
  const now = readKept();
  return found ?? now;
}

function isNarrow(): boolean {
  return matchMedia(OVER_QUERY).matches;
}

function readKept(): FramePreferences {
  if (kept === null) {
    let text: string | null = null;
    try {
      text = localStorage.getItem(FRAME_KEY);
    } catch {
      text = null;
    }
    kept = parseFramePreferences(text);
    found = kept;
  }
  return kept;
}

function keep(next: FramePreferences): void {
  kept = next;
  try {
    localStorage.setItem(FRAME_KEY, JSON.stringify(next));
  } catch {
    // If storage is full or unavailable, the change applies but is not stored.
  }
}

function show(): void {
  apply(readFrame());
  changes.setState((count) => count + 1);
}

function apply({ theme, density, explorerOpen, explorerWidth, agentWidth }: FramePreferences): void {
  const root = document.documentElement;
  const isDark = theme === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
  root.dataset.themeChoice = theme;
  root.dataset.theme = isDark ? "dark" : "light";
  root.dataset.density = density;
  root.dataset.explorer = explorerOpen ? "shown" : "hidden";
  root.style.setProperty("--w-explorer", `${explorerWidth}px`);
  root.style.setProperty("--w-agent", `${agentWidth}px`);
}
