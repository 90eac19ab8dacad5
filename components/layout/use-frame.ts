"use client";

import { useSyncExternalStore } from "react";
import {
  FRAME_DEFAULTS,
  FRAME_KEY,
  type FramePreferences,
  parseFramePreferences,
} from "@/lib/features/accounts/browser/frame-preferences";

/** As narrow as this the explorer lies over the work, and a page begins without it. boot.js and the styles say the same. */
const OVER_QUERY = "(max-width: 900px)";

/** What is kept of the frame. */
let kept: FramePreferences | null = null;
/** Lying over the work the explorer is open for now: what is kept is how somebody wants it beside the work. */
let isOverWork = false;
/** What is shown, and what it was made of: the same object until something changes. */
let shown: { of: FramePreferences; isNarrow: boolean; isOverWork: boolean; frame: FramePreferences } | null = null;
const listeners = new Set<() => void>();

/** The frame's measures and theme in this browser, and how to change them. Changes show at once and are kept. */
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
  listeners.add(listener);
  addEventListener("storage", onStorage);
  width.addEventListener("change", onWidth);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", onStorage);
    width.removeEventListener("change", onWidth);
  };
}

/** A press on what the explorer lies over, on a narrow page, puts the explorer away. */
export function uncoverFromExplorer(): void {
  if (isNarrow()) updateFrame({ explorerOpen: false });
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
  }
  return kept;
}

function keep(next: FramePreferences): void {
  kept = next;
  try {
    localStorage.setItem(FRAME_KEY, JSON.stringify(next));
  } catch {
    // A full or closed store costs the memory of the change, not the change.
  }
}

function show(): void {
  apply(readFrame());
  for (const listener of listeners) listener();
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
