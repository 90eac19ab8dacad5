"use client";

import { keepPreviousData, useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import {
  type ConsoleNews,
  toConsoleKey,
  toListKey,
  toLookupKey,
  toTreeKey,
} from "@/components/consoles/console-service";
import type { FolderSource } from "@/components/folders/use-folder-pages";
import type { LocalDraft, ServerDraft } from "@/components/layout/draft-store";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { consoleApi } from "@/lib/features/consoles/browser/client";
import { type DraftConsole, findConsole, isSavedId } from "@/lib/features/consoles/browser/workbench";
import type { Console, ConsoleSummary } from "@/lib/features/consoles/schema";
import { toIdLists } from "@/lib/platform/browser/lists";
import { ApiError } from "@/lib/platform/browser/request";

/** A console as shown: the editor's content and the saved version. */
export type OpenConsole = DraftConsole & {
  /** null if it was never saved. */
  saved: Console | null;
  /** null when the editor shows the saved text. */
  draft: LocalDraft | null;
  /** Someone else has saved since this draft was started. */
  isStale: boolean;
};

const NONE: ReadonlySet<string> = new Set();
const NO_IDS: string[] = [];
/** Pickers offer this many consoles; the palette searches all. */
const RECENT = { limit: "200" };
/** A list is read again when a variable is shown after this time. */
const CHOICES_STALE_MS = 5 * 60_000;

/** Reads the consoles on a connection that the user may see, without their texts, oldest first, in pages. */
export function useConsolesOn(connectionId: string) {
  const { workspace } = useWorkspace();
  return useInfiniteQuery({
    queryKey: [...toListKey(workspace.id), "on", connectionId],
    queryFn: ({ pageParam, signal }) => consoleApi.listOn(workspace.id, connectionId, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Returns the source of the folders of consoles. */
export function useConsoleSource(): FolderSource<ConsoleSummary> {
  const { workspace } = useWorkspace();
  return useMemo(
    () => ({
      key: toTreeKey(workspace.id),
      read: (place, cursor, signal) => consoleApi.readTree(workspace.id, place, cursor, signal),
    }),
    [workspace.id],
  );
}

/** Reads the consoles saved last, without their texts, latest first. @param isWanted false reads nothing */
export function useRecentConsoles(isWanted = true) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: [...toLookupKey(workspace.id), "recent"],
    queryFn: ({ signal }) => consoleApi.lookUp(workspace.id, RECENT, signal),
    enabled: isWanted,
  });
}

/** Reads the consoles whose names or folders match a search, best first; reads nothing for an empty one. */
export function useConsolesByName(q: string) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: [...toLookupKey(workspace.id), "by-name", q],
    queryFn: ({ signal }) => consoleApi.lookUp(workspace.id, { q }, signal),
    enabled: q !== "",
  });
}

/** Reads consoles by their ids, without their texts. Unsaved ones, and those that do not exist, are left out. */
export function useConsolesById(ids: readonly string[]): { data: ConsoleSummary[]; isPending: boolean } {
  const { workspace } = useWorkspace();
  const wanted = [...new Set(ids)].filter(isSavedId).sort();
  return useQueries({
    queries: toIdLists(wanted).map((list) => ({
      queryKey: [...toLookupKey(workspace.id), list],
      queryFn: ({ signal }: { signal: AbortSignal }) => consoleApi.lookUp(workspace.id, { ids: list }, signal),
      placeholderData: keepPreviousData<ConsoleSummary[]>,
    })),
    combine: joinParts,
  });
}

/** The previous consoles are shown while other ids are read, but do not tell which of these exist. */
function joinParts(parts: readonly { data: ConsoleSummary[] | undefined; isPlaceholderData: boolean }[]) {
  return {
    data: parts.flatMap(({ data }) => data ?? []),
    isPending: parts.some(({ data, isPlaceholderData }) => data === undefined || isPlaceholderData),
  };
}

/** Reads the consoles of the open tabs. */
export function useTabConsoles(): ConsoleSummary[] {
  return useConsolesById(useWorkbench()?.tabs ?? NO_IDS).data;
}

/** Reads the choices of a variable. @param isWanted false reads nothing */
export function useVariableChoices(source: Console["choices"][string], isWanted: boolean) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: ["variable-choices", workspace.id, source],
    queryFn: ({ signal }) => consoleApi.readChoices(workspace.id, source, signal),
    enabled: isWanted,
    staleTime: CHOICES_STALE_MS,
  });
}

/** Reads one saved console with its text; reads nothing if `id` is null or that of an unsaved one. */
export function useSavedConsole(id: string | null) {
  const { workspace, consoles } = useWorkspace();
  return useQuery({
    queryKey: toConsoleKey(workspace.id, id ?? ""),
    queryFn: ({ signal }) => consoles.load(id ?? "", signal),
    enabled: id !== null && isSavedId(id),
  });
}

/** Returns the console to show; null until it is known, and if it cannot be opened. */
export function useOpenConsole(id: string | null): OpenConsole | null {
  const workbench = useWorkbench();
  const draft = useDraft(id ?? "");
  const { data: saved, error } = useSavedConsole(id);
  if (id === null) return null;
  if (!isSavedId(id)) {
    const unsaved = workbench && findConsole(workbench, id);
    return unsaved ? { ...unsaved, saved: null, draft: null, isStale: false } : null;
  }
  if (!saved || isGone(error)) return null;
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

/** Returns whether a console could not be read because it was deleted, or is private to someone else. */
export function isGone(error: Error | null): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 400);
}

/** Returns the latest change of an open console by someone else; null without one. */
export function useConsoleNews(id: string): ConsoleNews | null {
  const { consoles } = useWorkspace();
  const read = useCallback(() => consoles.readNews(id), [consoles, id]);
  return useSyncExternalStore(consoles.subscribe, read, () => null);
}

export function useDraft(id: string): LocalDraft | null {
  const { drafts } = useWorkspace();
  const read = useCallback(() => drafts.read(id), [drafts, id]);
  return useSyncExternalStore(drafts.subscribe, read, () => null);
}

/** Returns the draft of another browser that the user has to choose or to replace; null without one. */
export function useOtherDraft(id: string): ServerDraft | null {
  const { drafts } = useWorkspace();
  const read = useCallback(() => drafts.readOther(id), [drafts, id]);
  return useSyncExternalStore(drafts.subscribe, read, () => null);
}

/** Returns the saved consoles with unsaved changes. */
export function useDirtyIds(): ReadonlySet<string> {
  const { drafts } = useWorkspace();
  return useSyncExternalStore(drafts.subscribe, drafts.readDirty, () => NONE);
}

/** Returns the number of consoles with unsaved changes. */
export function useUnsavedCount(): number {
  const workbench = useWorkbench();
  return useDirtyIds().size + (workbench?.consoles.length ?? 0);
}

/**
 * Returns whether the two texts of a console are being compared, and whether it is being saved or queued to be saved.
 */
export function useSaveState(id: string): { isComparing: boolean; isSaving: boolean; isWaiting: boolean } {
  const { consoles } = useWorkspace();
  const comparing = useSyncExternalStore(consoles.subscribe, consoles.readComparing, () => NONE);
  const saving = useSyncExternalStore(consoles.subscribe, consoles.readSaving, () => NONE);
  const waiting = useSyncExternalStore(consoles.subscribe, consoles.readWaiting, () => NONE);
  return { isComparing: comparing.has(id), isSaving: saving.has(id), isWaiting: waiting.has(id) };
}
