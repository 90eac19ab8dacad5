import type { ConsoleNavigation, ConsoleStores } from "@/components/consoles/console-navigation";
import { showToast } from "@/components/ui/toast";
import { closeTab, findConsole, isSavedId, openTab, removeConsole, restoreConsole } from "@/lib/features/consoles/browser/workbench"; // biome-ignore format: one look

/** Returns a function that deletes a console. Undo restores it with its draft and its tab. */
export function createRemoval(stores: ConsoleStores, navigation: ConsoleNavigation): (id: string) => void {
  const { workbench, drafts, editors, consoles } = stores;
  const { active, go } = navigation;

  const removeUnsaved = (id: string) => {
    const before = workbench.read();
    const removed = findConsole(before ?? { consoles: [] }, id);
    if (before === null || removed === null) return;
    const at = before.consoles.indexOf(removed);
    const tabAt = before.tabs.indexOf(id);
    const wasActive = before.lastActiveId === id;
    workbench.change((each) => removeConsole(each, id, Date.now()));
    editors.forget(id);
    if (wasActive) go(active());
    const back = () => ({ ...removed, changedAt: Date.now() });
    showToast(`${removed.name} deleted`, {
      id: `remove-${id}`,
      action: { label: "Undo", onClick: () => workbench.change((each) => restoreConsole(each, back(), at, tabAt)) },
    });
  };

  const removeSaved = async (id: string) => {
    const name = consoles.find(id)?.name ?? "The console";
    const before = workbench.read();
    const tabAt = before?.tabs.indexOf(id) ?? -1;
    const draft = drafts.read(id);
    if (!(await consoles.remove(id))) return;
    const wasActive = active() === id;
    workbench.change((each) => closeTab(each, id));
    editors.forget(id);
    if (wasActive) go(active());
    showToast(`${name} deleted`, {
      id: `remove-${id}`,
      action: {
        label: "Undo",
        onClick: async () => {
          const saved = await consoles.undelete(id);
          if (saved === null) return;
          if (draft !== null) drafts.write(saved, draft.content);
          if (tabAt >= 0) workbench.change((each) => openTab(each, id, tabAt));
          if (wasActive) go(id);
        },
      },
    });
  };

  return (id) => (isSavedId(id) ? void removeSaved(id) : removeUnsaved(id));
}
