"use client";

import { useRouter } from "next/navigation";
import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { AREAS, findArea } from "@/components/shell/areas";
import { useConsoleActions } from "@/components/workspace/use-console-actions";
import { updateFrame, useFrame } from "@/components/workspace/use-frame";
import { useWorkbench, useWorkspace } from "@/components/workspace/workspace-context";
import type { PaletteMode } from "@/lib/ui/palette-items";

/** "G then C": the second key has to follow within this time. */
const CHORD_MS = 1200;

type Options = {
  frameRef: RefObject<HTMLElement | null>;
  onShowShortcuts: () => void;
  onShowPalette: (mode: PaletteMode) => void;
};

/** The shortcuts of the frame (docs/design.md, Keyboard). Keys of one letter are off while somebody types. */
export function useShellKeys({ frameRef, onShowShortcuts, onShowPalette }: Options): void {
  const { workspace, commands } = useWorkspace();
  const workbench = useWorkbench();
  const { frame } = useFrame();
  const { open, create } = useConsoleActions();
  const router = useRouter();
  const chordAt = useRef(0);

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const isMod = event.metaKey || event.ctrlKey;
    if (event.key === "F6") {
      event.preventDefault();
      moveRegion(frameRef.current, event.shiftKey ? -1 : 1);
    } else if (isMod && !event.altKey && onCommandKey(event)) {
      event.preventDefault();
    } else if (isMod && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "b") {
      event.preventDefault();
      updateFrame({ explorerOpen: !frame.explorerOpen });
    } else if (event.altKey && !isMod && /^Digit[1-9]$/.test(event.code)) {
      const id = workbench?.tabs[Number(event.code.slice(-1)) - 1];
      if (id === undefined) return;
      event.preventDefault();
      open(id);
    } else if (
      frame.areLettersOn &&
      !isMod &&
      !event.altKey &&
      !isTyping(event.target) &&
      document.querySelector('[role="dialog"],[role="menu"]') === null
    ) {
      onLetter(event);
    }
  });

  /** Keys with Cmd or Ctrl that mean the same everywhere, also in the editor. @returns whether it was one of them */
  function onCommandKey({ key, shiftKey }: KeyboardEvent): boolean {
    switch (key.toLowerCase()) {
      case "k":
        if (shiftKey) return false;
        onShowPalette("all");
        return true;
      case "p":
        onShowPalette(shiftKey ? "actions" : "places");
        return true;
      case "s":
        commands.run(shiftKey ? "save-message" : "save");
        // The browser's own would save the page as a file.
        return true;
      default:
        return false;
    }
  }

  function onLetter(event: KeyboardEvent): void {
    const key = event.key.toLowerCase();
    const isChord = performance.now() - chordAt.current < CHORD_MS;
    chordAt.current = key === "g" ? performance.now() : 0;
    const root = `/w/${workspace.slug}`;
    const target = isChord ? AREAS.find(({ keys }) => keys === `g ${key}`) : undefined;
    if (key === "?") onShowShortcuts();
    else if (target) router.push(`${root}${target.path}`);
    else if (key === "c") createHere(root);
    else return;
    event.preventDefault();
  }

  function createHere(root: string): void {
    const { newPath } = findArea(window.location.pathname.slice(root.length));
    if (newPath === null) create();
    else router.push(`${root}${newPath}`);
  }

  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // A tree and a grid take letters for themselves: typing jumps in them.
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
