"use client";

import type { Command } from "@/components/palette/command-store";
import type { Choice } from "@/components/palette/palette-choice";
import { useConsoleChoices } from "@/components/palette/use-console-choices";
import { usePlaceChoices } from "@/components/palette/use-place-choices";
import { useTableChoices } from "@/components/palette/use-table-choices";
import type { PaletteKind } from "@/lib/features/workspaces/browser/palette-items";

/** Returns the palette's choices for a search, as `ChoiceList`. */
export function usePaletteItems(
  search: string,
  commands: Command[],
  goTo: (path: string) => void,
): { choices: Choice[]; awaited: ReadonlySet<PaletteKind>; isIncomplete: boolean } {
  const consoles = useConsoleChoices(search);
  const tables = useTableChoices();
  const { dashboards, others } = usePlaceChoices(search, goTo);
  const actions = commands.map(
    ({ id, name, detail, icon, keys, run }): Choice => ({
      id,
      kind: "action",
      name,
      detail: detail ?? "",
      icon,
      keys,
      open: run,
    }),
  );
  const lists = [consoles, dashboards, tables, others];
  return {
    choices: [...lists.flatMap(({ choices }) => choices), ...actions],
    awaited: new Set(lists.flatMap(({ awaited }) => awaited)),
    isIncomplete: lists.some(({ isIncomplete }) => isIncomplete === true),
  };
}
