import type { useWorkspace } from "@/components/layout/workspace-context";
import { openTab } from "@/lib/features/consoles/browser/workbench";

/** Stores that actions on consoles change. */
export type ConsoleStores = Pick<
  ReturnType<typeof useWorkspace>,
  "workbench" | "drafts" | "editors" | "consoles" | "transactions"
>;

export type ConsoleNavigation = ReturnType<typeof createNavigation>;

/**
 * Returns functions that open consoles by their addresses.
 * @param root address of the workspace
 * @param load opens an address of another area, whose code has to be loaded
 */
export function createNavigation(root: string, { workbench, editors }: ConsoleStores, load: (address: string) => void) {
  const toAddress = (id: string) => `${root}/consoles/${encodeURIComponent(id)}`;
  const visit = (address: string, isReplacing = false) => {
    const { pathname, search } = window.location;
    if (pathname + search === address) return;
    // From another area the console area has to be loaded; within it, only the address changes.
    if (pathname !== root && !pathname.startsWith(`${root}/consoles/`)) return load(address);
    window.history[isReplacing ? "replaceState" : "pushState"](null, "", address);
  };
  const go = (id: string | null, isReplacing = false) => visit(id === null ? root : toAddress(id), isReplacing);
  return {
    toAddress,
    visit,
    /** Shows a console; null shows the workspace's root address. */
    go,
    /** Returns the console of the active tab. */
    active: () => workbench.read()?.lastActiveId ?? null,
    /** Opens a console in a tab and shows it. */
    open: (id: string) => {
      workbench.change((each) => openTab(each, id));
      // Keys typed before the other console is rendered must not reach this one.
      if (editors.active?.consoleId !== id) editors.active?.blur();
      go(id);
    },
  };
}
