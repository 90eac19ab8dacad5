"use client";

import { ArrowLeft, ArrowRight, Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { useDashboardTabs } from "@/components/dashboards/dashboard-tabs";
import type { Editing } from "@/components/dashboards/edit/use-editing";
import type { NewTabs } from "@/components/dashboards/edit/use-new-tabs";
import { announce } from "@/components/ui/live-region";
import { Menu, MenuItem } from "@/components/ui/menu";
import { NameInput } from "@/components/ui/name-input";
import { moveTab, renameTab } from "@/lib/features/dashboards/browser/edit/draft";
import { tabsOf } from "@/lib/features/dashboards/browser/tabs";
import { TAB_CHARS_MAX } from "@/lib/features/dashboards/limits";

type TabActionsProps = { tab: string; editing: Editing; newTabs: NewTabs };

/** Actions on the open tab of an edited dashboard. */
export function TabActions({ tab, editing: { draft, apply }, newTabs }: TabActionsProps) {
  const { tabs, show } = useDashboardTabs(draft.widgets, newTabs.added);
  const [isNaming, setIsNaming] = useState(newTabs.unnamed === tab);
  const placed = tabsOf(draft.widgets);
  const isEmpty = !placed.includes(tab);
  const hostRef = useRef<HTMLSpanElement>(null);
  const at = placed.indexOf(tab);
  const rename = (typed: string | null) => {
    setIsNaming(false);
    const list = hostRef.current?.parentElement;
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      list?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
    });
    const name = typed?.trim() ?? "";
    if (name === "" || name === tab) return newTabs.rename(tab, tab);
    newTabs.rename(tab, name);
    if (!isEmpty) apply(renameTab(draft, tab, name), `Rename tab ${tab}`);
    show(name, false);
  };
  const move = (step: -1 | 1) => {
    apply(moveTab(draft, tab, step), `Move tab ${tab}`);
    announce(`${tab} moved to position ${at + step + 1} of ${placed.length}`);
  };
  if (isNaming) {
    return (
      <span ref={hostRef}>
        <NameInput label="Tab name" value={tab} maxLength={TAB_CHARS_MAX} onDone={rename} />
      </span>
    );
  }
  return (
    <>
      <Menu
        align="start"
        trigger={
          <button type="button" className="btn ghost icon sm" aria-label={`Actions of tab ${tab}`}>
            <Ellipsis />
          </button>
        }
      >
        <MenuItem icon={<Pencil />} onSelect={() => setIsNaming(true)}>
          Rename tab
        </MenuItem>
        {at > 0 && (
          <MenuItem icon={<ArrowLeft />} onSelect={() => move(-1)}>
            Move tab left
          </MenuItem>
        )}
        {!isEmpty && at < placed.length - 1 && (
          <MenuItem icon={<ArrowRight />} onSelect={() => move(1)}>
            Move tab right
          </MenuItem>
        )}
        {isEmpty && (
          <MenuItem
            icon={<Trash2 />}
            onSelect={() => {
              newTabs.remove(tab);
              show(tabs.find((each) => each !== tab) ?? null, false);
            }}
          >
            Remove tab
          </MenuItem>
        )}
      </Menu>
      {isEmpty && <span className="xs t3">Saved with its first widget</span>}
    </>
  );
}
