"use client";

import { useRouter } from "next/navigation";
import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { updateFrame, useFrame } from "@/components/layout/use-frame";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { AREAS, findArea } from "@/components/shell/areas";
import { takeEarlyKeys } from "@/components/shell/early-keys";
import { moveInList, renamePathInList } from "@/components/shell/list-keys";
import type { PaletteMode } from "@/lib/features/workspaces/browser/palette-items";

/** Time for the second key of "G then C", in ms. */
const CHORD_MS = 1200;
/** Shortcuts of letters alone (components/layout/shortcuts.ts) in their typed form, and the first half of some. */
const LETTERS = ["?", "c", "g", "j", "k", ...AREAS.flatMap(({ keys }) => keys?.replace(" ", "") ?? [])];

type Options = {
  frameRef: RefObject<HTMLElement | null>;
  /** Whether the palette or the list of shortcuts is shown or loading. */
  isCovered: boolean;
  onShowShortcuts: () => void;
  onShowPalette: (mode: PaletteMode) => void;
  onShowTextSearch: () => void;
};

/**
 * Handles the shortcuts of the frame (docs/develop/design.md, Keyboard). Single-letter keys are off while the user
 * types.
 */
export function useShellKeys({ frameRef, isCovered, onShowShortcuts, onShowPalette, onShowTextSearch }: Options): void {
  const { workspace, commands } = useWorkspace();
  const workbench = useWorkbench();
  const { frame } = useFrame();
  const { open, create } = useConsoleActions();
  const router = useRouter();
  const chordAt = useRef(Number.NEGATIVE_INFINITY);

  /** Set immediately: the next key may arrive before the layer that this one opens is rendered. */
  const covered = useRef(false);
  useEffect(() => {
    covered.current = isCovered;
  }, [isCovered]);
  function showTextSearch(): void {
    covered.current = true;
    onShowTextSearch();
  }
  function showPalette(mode: PaletteMode): void {
    covered.current = true;
    onShowPalette(mode);
  }

  const isLayered = () => covered.current || document.querySelector('[role="dialog"],[role="menu"]') !== null;

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const isMod = event.metaKey || event.ctrlKey;
    if (event.key === "F6") {
      event.preventDefault();
      moveRegion(frameRef.current, event.shiftKey ? -1 : 1);
    } else if (isMod && !event.altKey && onCommandKey(event)) {
      event.preventDefault();
    } else if (isMod && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "b") {
      event.preventDefault();
      updateFrame({ explorerOpen: !frame.explorerOpen });
    } else if (isMod && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "j") {
      event.preventDefault();
      commands.run("agent");
    } else if (isMod && !event.altKey && event.key === "Enter" && !isTyping(event.target) && !isLayered()) {
      // In the editor the key belongs to the editor, and in a form to the form.
      event.preventDefault();
      if (!event.repeat) commands.run(event.shiftKey ? "run-all" : "run");
    } else if (event.altKey && !isMod && /^Digit[1-9]$/.test(event.code)) {
      const id = workbench?.tabs[Number(event.code.slice(-1)) - 1];
      if (id === undefined) return;
      event.preventDefault();
      open(id);
    } else if (frame.areLettersOn && !isMod && !event.altKey && !isTyping(event.target) && !isLayered()) {
      onLetter(event);
    }
  });

  /**
   * Handles keys with Cmd or Ctrl that mean the same everywhere, also in the editor. @returns whether it was one of
   * them
   */
  function onCommandKey({ key, shiftKey }: KeyboardEvent): boolean {
    switch (key.toLowerCase()) {
      case "k":
        if (shiftKey) return false;
        showPalette("all");
        return true;
      case "p":
        showPalette(shiftKey ? "actions" : "places");
        return true;
      case "s":
        commands.run(shiftKey ? "save-message" : "save");
        // The browser's shortcut would save the page as a file.
        return true;
      case "f":
        if (!shiftKey) return false;
        showTextSearch();
        return true;
      case "e":
        return shiftKey && commands.run("explain");
      default:
        return false;
    }
  }

  function onLetter(event: KeyboardEvent): void {
    const key = event.key.toLowerCase();
    // By the time of the key press: a busy page may receive it later.
    const isChord = event.timeStamp - chordAt.current < CHORD_MS;
    chordAt.current = key === "g" ? event.timeStamp : Number.NEGATIVE_INFINITY;
    const root = `/w/${workspace.slug}`;
    const target = isChord ? AREAS.find(({ keys }) => keys === `g ${key}`) : undefined;
    if (key === "?") {
      covered.current = true;
      onShowShortcuts();
    } else if (target) router.push(`${root}${target.path}`);
    else if (key === "c") createHere(root);
    else if (key === "j" || key === "k") {
      if (!moveInList(key === "j" ? 1 : -1)) return;
    } else if (key === "e") {
      const path = renamePathInList();
      if (path === null) return;
      router.push(path);
    } else return;
    event.preventDefault();
  }

  function createHere(root: string): void {
    const { newCommand } = findArea(window.location.pathname.slice(root.length));
    if (newCommand === null) create();
    else commands.run(newCommand);
  }

  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && !event.isComposing) onKey(event);
    };
    document.addEventListener("keydown", listener);
    const early = takeEarlyKeys(LETTERS);
    // After the effects of the whole commit: the router follows the address only from its own effect on.
    queueMicrotask(() => {
      for (const event of early) onKey(event);
    });
    return () => document.removeEventListener("keydown", listener);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // A tree and a grid handle letters: typing jumps in them.
  return (
    target.isContentEditable || target.matches("input, textarea, select") || target.closest('[role="tree"]') !== null
  );
}

function moveRegion(frame: HTMLElement | null, step: 1 | -1): void {
  const regions = [...(frame?.querySelectorAll<HTMLElement>("[data-region]") ?? [])].filter(
    (each) => each.offsetParent !== null,
  );
  if (regions.length === 0) return;
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const next = regions[(at + step + regions.length) % regions.length];
  const start = next?.querySelector<HTMLElement>("[data-region-start]");
  (start ?? findFirstStop(next) ?? next)?.focus();
}

function findFirstStop(region: HTMLElement | undefined): HTMLElement | undefined {
  const stops = region?.querySelectorAll<HTMLElement>(
    '.cm-content, [tabindex="0"], a[href], button:not([disabled]), input:not([disabled])',
  );
  return [...(stops ?? [])].find((stop) => stop.offsetParent !== null);
}
