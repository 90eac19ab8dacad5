"use client";

import { useSyncExternalStore } from "react";
import { FRAME_DEFAULTS, FRAME_KEY, type FramePreferences, parseFramePreferences } from "@/lib/ui/frame-preferences";

let current: FramePreferences | null = null;
const listeners = new Set<() => void>();

/** The frame's measures and theme in this browser, and how to change them. Changes show at once and are kept. */
export function useFrame() {
  const frame = useSyncExternalStore(subscribeFrame, readFrame, () => FRAME_DEFAULTS);
  return { frame, update: updateFrame };
}

export function updateFrame(change: Partial<FramePreferences>): void {
  current = { ...readFrame(), ...change };
  apply(current);
  try {
    localStorage.setItem(FRAME_KEY, JSON.stringify(current));
  } catch {
    // A full or closed store costs the memory of the change, not the change.
  }
  for (const listener of listeners) listener();
}

export function readFrame(): FramePreferences {
  if (current === null) {
    let kept: string | null = null;
    try {
      kept = localStorage.getItem(FRAME_KEY);
    } catch {
      kept = null;
    }
    current = parseFramePreferences(kept);
    // As boot.js does: on a narrow page the explorer lies over the work and waits until it is asked for.
    if (matchMedia("(max-width: 900px)").matches) current = { ...current, explorerOpen: false };
  }
  return current;
}

export function subscribeFrame(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key !== FRAME_KEY) return;
    current = parseFramePreferences(event.newValue);
    apply(current);
    for (const each of listeners) each();
  };
  listeners.add(listener);
  addEventListener("storage", onStorage);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", onStorage);
  };
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
