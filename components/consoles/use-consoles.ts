"use client";

import { useQuery } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { toConsoleKey, toFoldersKey, toListKey } from "@/components/consoles/console-service";
import type { LocalDraft } from "@/components/layout/draft-store";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { type Console, consoleApi } from "@/lib/features/consoles/browser/client";
import { type DraftConsole, findConsole, isSavedId } from "@/lib/features/consoles/browser/workbench";

/** A console as it is shown: what is in its editor, and what is saved of it. */
export type OpenConsole = DraftConsole & {
  /** null while it was never saved. */
  saved: Console | null;
  /** null when the editor shows what is saved. */
  draft: LocalDraft | null;
  /** Somebody else has saved since this draft was begun. */
  isStale: boolean;
};

const NONE: ReadonlySet<string> = new Set();

/** All consoles that the person may see, without their texts. @param isWanted false asks for nothing */
export function useConsoleList(isWanted = true) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toListKey(workspace.id),
    queryFn: ({ signal }) => consoleApi.list(workspace.id, signal),
    enabled: isWanted,
  });
}

export function useConsoleFolders() {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toFoldersKey(workspace.id),
    queryFn: ({ signal }) => consoleApi.listFolders(workspace.id, signal),
  });
}

/** One saved console with its text; asks for nothing while `id` is null or an unsaved one's. */
export function useSavedConsole(id: string | null) {
  const { workspace, consoles } = useWorkspace();
  return useQuery({
    queryKey: toConsoleKey(workspace.id, id ?? ""),
    queryFn: ({ signal }) => consoles.load(id ?? "", signal),
    enabled: id !== null && isSavedId(id),
  });
}

/** The console to show, once it is known; null before, and for one that cannot be opened. */
export function useOpenConsole(id: string | null): OpenConsole | null {
  const workbench = useWorkbench();
  const draft = useDraft(id ?? "");
  const { data: saved } = useSavedConsole(id);
  if (id === null) return null;
  if (!isSavedId(id)) {
    const unsaved = workbench && findConsole(workbench, id);
    return unsaved ? { ...unsaved, saved: null, draft: null, isStale: false } : null;
  }
  if (!saved) return null;
  const { name, connectionId, content, chart } = saved;
  const isStale = draft !== null && draft.version < saved.version;
  return {
    id,
    name,
    connectionId,
    content: draft?.content ?? content,
    chart: chart ?? undefined,
    saved,
    draft,
    isStale,
  };
}

export function useDraft(id: string): LocalDraft | null {
  const { drafts } = useWorkspace();
  const read = useCallback(() => drafts.read(id), [drafts, id]);
  return useSyncExternalStore(drafts.subscribe, read, () => null);
}

/** The saved consoles with something unsaved in them. */
export function useDirtyIds(): ReadonlySet<string> {
  const { drafts } = useWorkspace();
  return useSyncExternalStore(drafts.subscribe, drafts.readDirty, () => NONE);
}

/** How many consoles hold something that is not saved. */
export function useUnsavedCount(): number {
  const workbench = useWorkbench();
  return useDirtyIds().size + (workbench?.consoles.length ?? 0);
}

/** Whether the two texts of a console are being compared, whether it is being saved, and whether it will be later. */
export function useSaveState(id: string): { isComparing: boolean; isSaving: boolean; isWaiting: boolean } {
  const { consoles } = useWorkspace();
  const comparing = useSyncExternalStore(consoles.subscribe, consoles.readComparing, () => NONE);
  const saving = useSyncExternalStore(consoles.subscribe, consoles.readSaving, () => NONE);
  const waiting = useSyncExternalStore(consoles.subscribe, consoles.readWaiting, () => NONE);
  return { isComparing: comparing.has(id), isSaving: saving.has(id), isWaiting: waiting.has(id) };
}
