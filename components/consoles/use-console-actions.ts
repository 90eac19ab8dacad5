"use client";

import { usePathname, useRouter } from "next/navigation";
import { useMemo } from "react";
import { createNavigation } from "@/components/consoles/console-navigation";
import { createRemoval } from "@/components/consoles/console-removal";
import type { ConsolePlace } from "@/components/consoles/console-service";
import { createTabActions } from "@/components/consoles/console-tab-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { showToast } from "@/components/ui/toast";
import { isVariableParam } from "@/lib/base/sql/variables";
import {
  addConsole, changeConsole, findConsole, isSavedId, openTab, setTitle, toConsoleName, toFreeName,
} from "@/lib/features/consoles/browser/workbench"; // biome-ignore format: one look at the whole list
import type { Console } from "@/lib/features/consoles/schema";
import { newId } from "@/lib/platform/browser/new-id";

/** Returns the console in the address; null at the workspace's root address. */
export function useActiveConsoleId(): string | null {
  return toConsoleId(usePathname());
}

/** Returns the opened console, which may not be rendered yet; null without one. */
export function readOpenedConsoleId(): string | null {
  return toConsoleId(window.location.pathname);
}

function toConsoleId(pathname: string): string | null {
  const match = /^\/w\/[^/]+\/consoles\/([^/]+)/.exec(pathname);
  return match?.[1] === undefined ? null : decodeURIComponent(match[1]);
}

/** Returns whether the address is that of a console's history. */
export function useIsHistory(): boolean {
  return /^\/w\/[^/]+\/consoles\/[^/]+\/history\/?$/.test(usePathname());
}

/** Returns whether the address is that of a console's schedule. */
export function useIsSchedule(): boolean {
  return /^\/w\/[^/]+\/consoles\/[^/]+\/schedule\/?$/.test(usePathname());
}

type NewConsole = { name?: string; content?: string; isBeside?: boolean };

/** Returns actions on consoles for any component. Opening a console changes the address without a page load. */
export function useConsoleActions() {
  const { workspace, workbench, drafts, editors, consoles, transactions } = useWorkspace();
  const router = useRouter();
  return useMemo(() => {
    const root = `/w/${workspace.slug}`;
    const stores = { workbench, drafts, editors, consoles, transactions };
    const navigation = createNavigation(root, stores, (address) => router.push(address));
    const { toAddress, visit, go, active, open } = navigation;
    /** Replaces the address of a console that was saved for the first time. @returns whether it was saved */
    const follow = (id: string, savedId: string | null): boolean => {
      // The view of the result, which is part of the address, stays too.
      if (savedId !== null && savedId !== id && window.location.pathname === toAddress(id))
        visit(toAddress(savedId) + window.location.search, true);
      return savedId !== null;
    };
    return {
      open,
      ...createTabActions(stores, navigation),
      remove: createRemoval(stores, navigation),
      /** Opens a console and runs all its statements. */
      start: (id: string) => {
        editors.askToRun(id);
        open(id);
      },
      /** Adds the tab of a console; the visible one does not change. */
      openBeside: (id: string) => {
        const saved = consoles.find(id);
        workbench.change((each) => {
          const opened = openTab(saved ? setTitle(each, id, saved) : each, id);
          return { ...opened, lastActiveId: each.lastActiveId ?? id };
        });
      },
      /** Shows the console that was open last, without a new history entry. */
      land: () => go(active(), true),
      openHistory: (id: string, sha: string | null = null, isReplacing = false) =>
        visit(`${toAddress(id)}/history${sha === null ? "" : `?sha=${sha}`}`, isReplacing),
      /** @param runId run to show; null for none */
      openSchedule: (id: string, runId: string | null = null) =>
        visit(`${toAddress(id)}/schedule${runId === null ? "" : `?run=${runId}`}`),
      /** Returns the full address of the console, for sharing. @param executionId run to link to; null for none */
      toLink: (id: string, executionId: string | null = null) =>
        toLinkOf(`${window.location.origin}${toAddress(id)}`, executionId),
      /** Creates a console. `isBeside`: it opens in a background tab. @returns its id */
      create: (connectionId: string | null = null, given: NewConsole = {}): string => {
        const id = newId();
        const name = toConsoleName(given.name ?? "");
        workbench.change((each) => {
          const added = addConsole(each, {
            id,
            name: name ?? toFreeName(each, "untitled", ".sql", consoles.takenNames()),
            content: given.content ?? "",
            connectionId,
            changedAt: Date.now(),
          });
          return given.isBeside ? { ...added, lastActiveId: each.lastActiveId ?? id } : added;
        });
        if (!given.isBeside) go(id);
        return id;
      },
      /** Saves a console. @returns whether everything is saved */
      save: async (id: string, message?: string, place?: ConsolePlace): Promise<boolean> =>
        follow(id, await consoles.save(id, message, place)),
      /** Saves a console, for a form that shows the failure itself. @throws ApiError when the server rejects it */
      saveOrThrow: async (id: string, message?: string, place?: ConsolePlace): Promise<boolean> =>
        follow(id, await consoles.saveOrThrow(id, message, place)),
      duplicate: async (id: string) => {
        if (isSavedId(id)) {
          const copy = await consoles.duplicate(id);
          if (copy !== null) open(copy.id);
          return;
        }
        const original = findConsole(workbench.read() ?? { consoles: [] }, id);
        if (original === null) return;
        const copyId = newId();
        const [stem, ending] = splitName(original.name);
        workbench.change((each) => {
          const name = toFreeName(each, `${stem} copy`, ending, consoles.takenNames());
          return addConsole(each, { ...original, id: copyId, name, changedAt: Date.now() });
        });
        go(copyId);
      },
      rename: (id: string, typed: string) => {
        const name = toConsoleName(typed);
        if (name === null) return;
        if (!isSavedId(id)) workbench.change((each) => changeConsole(each, id, { name, changedAt: Date.now() }));
        else if (name !== consoles.find(id)?.name) void consoles.change(id, { name });
      },
      /** Stores values of variables as defaults. @returns whether they were stored */
      keepDefaults: async (id: string, variables: Console["variables"]): Promise<boolean> => {
        const saved = await consoles.change(id, { variables });
        if (saved !== null) showToast("Defaults saved");
        return saved !== null;
      },
      /** Stores where the lists of variables come from. */
      keepChoices: (id: string, choices: Console["choices"]) => consoles.change(id, { choices }),
      /** Changes the description or the expected rows. @throws ApiError when the server rejects them */
      changeDetails: async (id: string, details: Partial<Pick<Console, "description" | "expect">>): Promise<void> => {
        await consoles.changeOrThrow(id, details);
        showToast("Details saved");
      },
      setConnection: (id: string, connectionId: string) => {
        if (isSavedId(id)) void consoles.choose(id, { connectionId });
        else workbench.change((each) => changeConsole(each, id, { connectionId, changedAt: Date.now() }));
      },
    };
  }, [workspace.slug, workbench, drafts, editors, consoles, transactions, router]);
}

/** Splits a file name into the name and the extension with its dot. */
function splitName(name: string): [string, string] {
  const at = name.lastIndexOf(".");
  return at <= 0 ? [name, ""] : [name.slice(0, at), name.slice(at)];
}

/** Returns a link to a console, with its variables if its address is open. */
function toLinkOf(address: string, executionId: string | null): string {
  const { origin, pathname, search } = window.location;
  const isOpen = `${origin}${pathname}` === address;
  const query = [...new URLSearchParams(isOpen ? search : "")].filter(([param]) => isVariableParam(param));
  if (executionId !== null) query.push(["run", executionId]);
  return query.length === 0 ? address : `${address}?${new URLSearchParams(query)}`;
}
