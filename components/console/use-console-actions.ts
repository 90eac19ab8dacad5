"use client";

import { usePathname, useRouter } from "next/navigation";
import { useMemo } from "react";
import { useWorkspace } from "@/components/shell/workspace-context";
import { showToast } from "@/components/ui/toast";
import {
  addConsole, changeConsole, closeTab, findConsole, openTab, removeConsole, restoreConsole, toConsoleName, toFreeName,
} from "@/lib/ui/desk"; // biome-ignore format: one look at the whole list
import { newId } from "@/lib/ui/new-id";

/** The console that the address names; null on the workspace's own address. */
export function useActiveConsoleId(): string | null {
  const match = /^\/w\/[^/]+\/consoles\/([^/]+)/.exec(usePathname());
  return match?.[1] === undefined ? null : decodeURIComponent(match[1]);
}

/** What can be done with consoles, from wherever it is asked for. Opening one changes the address without a load. */
export function useConsoleActions() {
  const { workspace, desk, editors } = useWorkspace();
  const router = useRouter();
  return useMemo(() => {
    const root = `/w/${workspace.slug}`;
    const go = (id: string | null, isReplacing = false) => {
      const address = id === null ? root : `${root}/consoles/${encodeURIComponent(id)}`;
      const { pathname } = window.location;
      if (pathname === address) return;
      // From another area the workbench has to be loaded; inside of it the address alone changes.
      if (pathname !== root && !pathname.startsWith(`${root}/consoles/`)) {
        router.push(address);
        return;
      }
      window.history[isReplacing ? "replaceState" : "pushState"](null, "", address);
    };
    const active = () => desk.read()?.lastActiveId ?? null;

    return {
      open: (id: string) => {
        desk.change((each) => openTab(each, id));
        go(id);
      },
      /** Shows the console that was open last, without a step in the history. */
      land: () => go(active(), true),
      create: (connectionId: string | null = null) => {
        const id = newId();
        desk.change((each) => addConsole(each, { id, name: toFreeName(each), content: "", connectionId }));
        go(id);
      },
      close: (id: string) => {
        const before = desk.read();
        const closed = findConsole(before ?? { consoles: [] }, id);
        if (before === null || closed === null) return;
        const at = before.tabs.indexOf(id);
        const wasActive = before.lastActiveId === id;
        desk.change((each) => closeTab(each, id));
        if (wasActive) go(active());
        showToast(`${closed.name} is closed. It stays in the list.`, {
          id: `close-${id}`,
          action: {
            label: "Undo",
            onClick: () => {
              desk.change((each) => openTab(each, id, at));
              go(id);
            },
          },
        });
      },
      remove: (id: string) => {
        const before = desk.read();
        const removed = findConsole(before ?? { consoles: [] }, id);
        if (before === null || removed === null) return;
        const at = before.consoles.indexOf(removed);
        const tabAt = before.tabs.indexOf(id);
        const wasActive = before.lastActiveId === id;
        desk.change((each) => removeConsole(each, id));
        editors.forget(id);
        if (wasActive) go(active());
        showToast(`${removed.name} is deleted.`, {
          id: `remove-${id}`,
          action: { label: "Undo", onClick: () => desk.change((each) => restoreConsole(each, removed, at, tabAt)) },
        });
      },
      rename: (id: string, typed: string) => {
        const name = toConsoleName(typed);
        if (name !== null) desk.change((each) => changeConsole(each, id, { name }));
      },
    };
  }, [workspace.slug, desk, editors, router]);
}
