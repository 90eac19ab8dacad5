"use client";

import { type ReactNode, useEffect, useId, useRef } from "react";
import { useAddress } from "@/components/layout/use-address";
import { tabsOf, tabToShow, widgetsOfTab } from "@/lib/features/dashboards/browser/tabs";
import type { Widget } from "@/lib/features/dashboards/schema";
import "./dashboard-tabs.css";

const TAB = "tab";

/**
 * Returns the tabs of a dashboard, the open one, which the address names, and a function that opens one.
 * @param added tabs that have no widgets yet, in the editor
 */
export function useDashboardTabs(widgets: readonly Pick<Widget, "tab">[], added: readonly string[] = []) {
  const { query, put } = useAddress();
  const tabs = [...new Set([...tabsOf(widgets), ...added])];
  return {
    tabs,
    /** Null without tabs. */
    open: tabToShow(tabs, query.get(TAB)),
    /** @param isStep adds a history entry */
    show: (tab: string | null, isStep: boolean) => put({ [TAB]: tab }, isStep),
  };
}

/** Returns the address of a dashboard's page that opens the same tab. */
export function withTab(address: string, tab: string | null): string {
  return tab === null ? address : `${address}?${new URLSearchParams({ [TAB]: tab })}`;
}

type DashboardTabsProps<W> = {
  widgets: readonly W[];
  /** Tabs that have no widgets yet, in the editor. */
  added?: readonly string[];
  /** Actions on the open tab, in the editor, where tabs are no history steps. */
  actions?: (open: string) => ReactNode;
  children: (shown: readonly W[]) => ReactNode;
};

/** The tabs of a dashboard, and the widgets of the open one. Without tabs: all widgets. */
export function DashboardTabs<W extends Pick<Widget, "layout" | "tab">>(props: DashboardTabsProps<W>) {
  const { widgets, added, actions, children } = props;
  const { tabs, open, show } = useDashboardTabs(widgets, added);
  const id = useId();
  const listRef = useRef<HTMLDivElement>(null);
  const isStep = actions === undefined;
  const openAt = open === null ? -1 : tabs.indexOf(open);
  useEffect(() => {
    const list = listRef.current;
    const tab = list?.children[openAt];
    if (!list || !(tab instanceof HTMLElement)) return;
    // Scrolls the list alone: the page may be further down.
    const from = tab.offsetLeft - list.offsetLeft;
    if (from < list.scrollLeft) list.scrollLeft = from;
    else if (from + tab.offsetWidth > list.scrollLeft + list.clientWidth)
      list.scrollLeft = from + tab.offsetWidth - list.clientWidth;
  }, [openAt]);
  const step = (by: number, from: HTMLElement) => {
    const at = (openAt + by + tabs.length) % tabs.length;
    show(tabs[at] ?? null, isStep);
    from.querySelectorAll("button")[at]?.focus();
  };
  // The panel stays mounted while the first tab appears and the last one disappears.
  return (
    <>
      {open !== null && (
        <div className="dashboard-tabs">
          <div
            ref={listRef}
            className="dashboard-tab-list"
            role="tablist"
            aria-label="Tabs"
            onKeyDown={(event) => {
              const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
              if (by === undefined) return;
              event.preventDefault();
              step(by, event.currentTarget);
            }}
          >
            {tabs.map((tab) => (
              <button
                key={tab}
                type="button"
                role="tab"
                title={tab}
                aria-selected={tab === open}
                aria-controls={id}
                tabIndex={tab === open ? 0 : -1}
                onClick={() => show(tab, isStep)}
              >
                {tab}
              </button>
            ))}
          </div>
          {actions?.(open)}
        </div>
      )}
      <div id={id} className="dashboard-panel" {...(open !== null && { role: "tabpanel", "aria-label": open })}>
        {children(widgetsOfTab(widgets, open))}
      </div>
    </>
  );
}
