"use client";

import { ArrowLeft, ArrowRight, Ellipsis, Pencil } from "lucide-react";
import { useRef, useState } from "react";
import { useDashboardTabs } from "@/components/dashboards/dashboard-tabs";
import type { Editing } from "@/components/dashboards/edit/use-editing";
import { announce } from "@/components/ui/live-region";
import { Menu, MenuItem } from "@/components/ui/menu";
import { NameInput } from "@/components/ui/name-input";
import { moveTab, renameTab } from "@/lib/features/dashboards/browser/edit/draft";
import { TAB_CHARS_MAX } from "@/lib/features/dashboards/limits";

/** Actions on the open tab of an edited dashboard. */
export function TabActions({ tab, editing: { draft, apply } }: { tab: string; editing: Editing }) {
  const { tabs, show } = useDashboardTabs(draft.widgets);
  const [isNaming, setIsNaming] = useState(false);
  const hostRef = useRef<HTMLSpanElement>(null);
  const at = tabs.indexOf(tab);
  const rename = (typed: string | null) => {
    setIsNaming(false);
    const list = hostRef.current?.parentElement;
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      list?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus();
    });
    const name = typed?.trim().slice(0, TAB_CHARS_MAX).trim() ?? "";
    if (name === "" || name === tab) return;
    apply(renameTab(draft, tab, name), `Rename tab ${tab}`);
    show(name, false);
  };
  const move = (step: -1 | 1) => {
    apply(moveTab(draft, tab, step), `Move tab ${tab}`);
    announce(`${tab} moved to position ${at + step + 1} of ${tabs.length}`);
  };
  if (isNaming) {
    return (
      <span ref={hostRef}>
        <NameInput label="Tab name" value={tab} onDone={rename} />
      </span>
    );
  }
  return (
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
      {at < tabs.length - 1 && (
        <MenuItem icon={<ArrowRight />} onSelect={() => move(1)}>
          Move tab right
        </MenuItem>
      )}
    </Menu>
  );
}
