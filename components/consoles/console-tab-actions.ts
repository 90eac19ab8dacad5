import type { ConsoleNavigation, ConsoleStores } from "@/components/consoles/console-navigation";
import { isOpen } from "@/components/consoles/transaction-store";
import { showToast } from "@/components/ui/toast";
import { closeTab, findTitle, listOtherTabs, openTab, restoreTabs } from "@/lib/features/consoles/browser/workbench";

/** Returns functions that close tabs. Undo opens them again at their places. */
export function createTabActions({ workbench, transactions }: ConsoleStores, { active, go, open }: ConsoleNavigation) {
  const closeNow = (id: string) => {
    const before = workbench.read();
    const name = before && findTitle(before, id);
    if (before === null || name === null || !before.tabs.includes(id)) return;
    const at = before.tabs.indexOf(id);
    const wasActive = before.lastActiveId === id;
    workbench.change((each) => closeTab(each, id));
    if (wasActive) go(active());
    showToast(`${name} closed`, {
      id: `close-${id}`,
      action: {
        label: "Undo",
        onClick: () => {
          workbench.change((each) => openTab(each, id, at));
          go(id);
        },
      },
    });
  };
  return {
    /** Closes a tab. Its session ends; the user is asked before an open transaction is rolled back. */
    close: (id: string) => {
      const state = workbench.read();
      if (transactions.read(id) === null) closeNow(id);
      else
        void transactions
          .stop(id, (state && findTitle(state, id)) ?? "Console")
          .then((isStopped) => isStopped && closeNow(id));
    },
    /** Closes all other tabs, or only those to the right. */
    closeOthers: (id: string, from: "all" | "right") => {
      const before = workbench.read();
      if (before === null) return;
      // One with an open transaction stays.
      const closed = listOtherTabs(before, id, from).filter((each) => !isOpen(transactions.read(each)));
      for (const each of closed) void transactions.stop(each, "");
      if (closed.length === 0) return;
      const { tabs, lastActiveId } = before;
      workbench.change((each) => closed.reduce(closeTab, each));
      if (lastActiveId !== null && closed.includes(lastActiveId)) open(id);
      showToast(`${closed.length === 1 ? "Tab" : `${closed.length} tabs`} closed`, {
        id: `close-others-${id}`,
        action: {
          label: "Undo",
          onClick: () => {
            workbench.change((each) => restoreTabs(each, tabs));
            if (lastActiveId !== null) open(lastActiveId);
          },
        },
      });
    },
  };
}
