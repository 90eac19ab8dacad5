"use client";

import { useEffect, useEffectEvent } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { FolderChoice, Root } from "@/lib/features/folders/browser/item-tree";
import type { Folder } from "@/lib/features/folders/schema";

/** `trail`: the folders around the item, once they are known. */
type Around = { trail: readonly Folder[] | null; roots: readonly Root[] };

/** Expands the folders around a shown item once; a folder that is closed afterwards stays closed. */
export function useReveal(shown: (FolderChoice & { id: string }) | undefined, { trail, roots }: Around): void {
  const { workbench: store } = useWorkspace();
  const folderId = shown?.folderId ?? null;
  const isReady = trail !== null;
  const reveal = useEffectEvent(() => {
    const around = (trail ?? []).map(({ id }) => id);
    if (shown !== undefined) around.push(...roots.filter(({ access }) => access === shown.access).map(({ id }) => id));
    const opened = Object.fromEntries(around.map((id) => [id, true]));
    if (around.length > 0) store.change((each) => ({ ...each, toggled: { ...each.toggled, ...opened } }));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: for another one, and for another place of it
  useEffect(() => {
    if (isReady) reveal();
  }, [shown?.id, folderId, isReady]);
}
