"use client";

import { Redo2, Save, Undo2 } from "lucide-react";
import { useEffect, useEffectEvent } from "react";
import type { Editing } from "@/components/dashboards/edit/use-editing";
import { useOffer } from "@/components/layout/use-offer";
import { announce } from "@/components/ui/live-region";

export type Undoing = {
  /** Description of the step that undo would revert; undefined without one. */
  undone: string | undefined;
  /** Description of the step that redo would apply; undefined without one. */
  redone: string | undefined;
  undo: () => void;
  redo: () => void;
};

/** Returns the undo of the editor, and offers it with the save by keys and in the palette. */
export function useUndo({ draft, steps, save, ...editing }: Editing): Undoing {
  const undone = steps.past.at(-1)?.words;
  const redone = steps.future[0]?.words;
  const undo = () => {
    if (undone === undefined) return;
    editing.undo();
    announce(`Undid: ${undone}`);
  };
  const redo = () => {
    if (redone === undefined) return;
    editing.redo();
    announce(`Redid: ${redone}`);
  };
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.metaKey || event.ctrlKey) || event.altKey || event.key.toLowerCase() !== "z") return;
    // A text field has its own undo.
    const { target } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return;
    event.preventDefault();
    if (event.shiftKey) redo();
    else undo();
  });
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  useOffer("dashboard-edit", [
    { id: "save", name: `Save ${draft.title}`, icon: Save, keys: "mod+s", run: save },
    ...(undone === undefined ? [] : [{ id: "undo", name: `Undo: ${undone}`, icon: Undo2, keys: "mod+z", run: undo }]),
    ...(redone === undefined
      ? []
      : [{ id: "redo", name: `Redo: ${redone}`, icon: Redo2, keys: "mod+shift+z", run: redo }]),
  ]);
  return { undone, redone, undo, redo };
}
