"use client";

import { useEffect, useEffectEvent } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { type FolderChoice, isInside, type Root } from "@/lib/features/folders/browser/item-tree";
import type { Folder } from "@/lib/features/folders/schema";

type Around = { folders: readonly Folder[]; roots: readonly Root[]; isReady: boolean };

/** Expands the folders around a shown item once; a folder that is closed afterwards stays closed. */
export function useReveal(
  shown: (FolderChoice & { id: string }) | undefined,
  { folders, roots, isReady }: Around,
): void {
  const { workbench: store } = useWorkspace();
  const folderId = shown?.folderId ?? null;
  const reveal = useEffectEvent(() => {
    const around = folders.filter(({ id }) => isInside(folders, folderId, id)).map(({ id }) => id);
    if (shown !== undefined) around.push(...roots.filter(({ access }) => access === shown.access).map(({ id }) => id));
    const opened = Object.fromEntries(around.map((id) => [id, true]));
    if (around.length > 0) store.change((each) => ({ ...each, toggled: { ...each.toggled, ...opened } }));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: for another one, and for another place of it
  useEffect(() => {
    if (isReady) reveal();
  }, [shown?.id, folderId, isReady]);
}
