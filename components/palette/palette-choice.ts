import type { LucideIcon } from "lucide-react";
import type { PaletteItem, PaletteKind } from "@/lib/features/workspaces/browser/palette-items";

export type Choice = PaletteItem & {
  icon: LucideIcon;
  keys?: string;
  open: () => void;
  /** Opens and runs it; undefined if there is nothing to run. */
  start?: () => void;
  /** Opens it in another pane. @returns the pane's name */
  openBeside?: () => string;
};

/** Choices of some kinds, with the kinds for which more may arrive. `isIncomplete`: the search for them ended early. */
export type ChoiceList = { choices: Choice[]; awaited: PaletteKind[]; isIncomplete?: boolean };

export const ENDED_EARLY = "The search in consoles ended early. Add a word to narrow it.";

export const BESIDE = "a tab to the side";
