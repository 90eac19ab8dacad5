"use client";

import { useQuery } from "@tanstack/react-query";
import { FileCode2 } from "lucide-react";
import { useMemo } from "react";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useConsolesByName, useRecentConsoles, useTabConsoles } from "@/components/consoles/use-consoles";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { BESIDE, type Choice, type ChoiceList } from "@/components/palette/palette-choice";
import { useLater } from "@/components/ui/use-later";
import { consoleApi } from "@/lib/features/consoles/browser/client";
import { toLocationText } from "@/lib/features/folders/browser/item-tree";

/**
 * Number of characters from which the server is queried for consoles by their texts, and the pause in typing before it
 * is.
 */
const SEARCH_FROM = 2;
const SEARCH_AFTER_MS = 150;

/** Returns the consoles: open ones first, in the order of their tabs, then those changed last. */
export function useConsoleChoices(search: string): ChoiceList {
  const { workspace } = useWorkspace();
  const { open, start, openBeside } = useConsoleActions();
  const workbench = useWorkbench();
  const { data: recent, isLoading } = useRecentConsoles();
  const opened = useTabConsoles();
  const asked = useLater(search, SEARCH_AFTER_MS);
  const named = useConsolesByName(asked);
  const hits = useQuery({
    queryKey: ["console-search", workspace.id, asked],
    queryFn: ({ signal }) => consoleApi.search(workspace.id, asked, signal),
    enabled: asked.length >= SEARCH_FROM,
  });
  const choices = useMemo((): Choice[] => {
    const toOpenings = (id: string) => ({
      open: () => open(id),
      start: () => start(id),
      openBeside: () => {
        openBeside(id);
        return BESIDE;
      },
    });
    // The server also finds names that differ in accents.
    const namedIds = new Set(named.data?.map(({ id }) => id));
    const snippets = new Map(hits.data?.hits.map((hit) => [hit.id, hit]));
    const tabs = workbench?.tabs ?? [];
    const recency = (id: string) => {
      const at = tabs.indexOf(id);
      return at < 0 ? tabs.length : at;
    };
    const unsaved = (workbench?.consoles ?? []).map(
      (each): Choice => ({
        id: each.id,
        kind: "console",
        name: each.name,
        detail: "Unsaved",
        words: each.content,
        icon: FileCode2,
        ...toOpenings(each.id),
      }),
    );
    const list = [
      ...new Map(
        [...opened, ...(recent ?? []), ...(named.data ?? []), ...(hits.data?.hits ?? [])].map((each) => [
          each.id,
          each,
        ]),
      ).values(),
    ];
    const saved = list.map((each): Choice => {
      const hit = snippets.get(each.id);
      const place = toLocationText(each);
      return {
        id: each.id,
        kind: "console",
        name: each.name,
        detail: hit?.snippet ? `${place}, line ${hit.snippet.line}: ${hit.snippet.text}` : place,
        isHit: hit !== undefined || namedIds.has(each.id),
        icon: FileCode2,
        ...toOpenings(each.id),
      };
    });
    const updated = new Map(list.map((each) => [each.id, each.updatedAt]));
    return [...unsaved, ...saved].sort(
      (a, b) => recency(a.id) - recency(b.id) || (updated.get(b.id) ?? "").localeCompare(updated.get(a.id) ?? ""),
    );
  }, [hits.data, named.data, recent, opened, workbench?.tabs, workbench?.consoles, open, start, openBeside]);

  const isAsked = search !== "" && (search !== asked || named.isFetching || hits.isFetching);
  return {
    choices,
    awaited: isLoading || isAsked ? ["console"] : [],
    isIncomplete: !isAsked && hits.data?.isIncomplete === true,
  };
}
