"use client";

import { type ReactNode, useId } from "react";
import { useAddress } from "@/components/layout/use-address";
import { tabsOf, tabToShow, widgetsOfTab } from "@/lib/features/dashboards/browser/tabs";
import type { Widget } from "@/lib/features/dashboards/schema";

const TAB = "tab";

type DashboardTabsProps<W> = { widgets: readonly W[]; children: (shown: readonly W[]) => ReactNode };

/** The tabs of a dashboard, and the widgets of the open one, which the address names. Without tabs: all widgets. */
export function DashboardTabs<W extends Pick<Widget, "layout" | "tab">>({ widgets, children }: DashboardTabsProps<W>) {
  const { query, put } = useAddress();
  const id = useId();
  const tabs = tabsOf(widgets);
  const open = tabToShow(tabs, query.get(TAB));
  if (open === null) return children(widgets);
  const show = (step: number, from: HTMLElement) => {
    const at = (tabs.indexOf(open) + step + tabs.length) % tabs.length;
    put({ [TAB]: tabs[at] ?? null }, true);
    from.querySelectorAll("button")[at]?.focus();
  };
  return (
    <>
      <div
        className="dashboard-tabs"
        role="tablist"
        aria-label="Tabs"
        onKeyDown={(event) => {
          const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          show(step, event.currentTarget);
        }}
      >
        {tabs.map((tab) => (
          <button
            key={tab}
            type="button"
            role="tab"
            aria-selected={tab === open}
            aria-controls={id}
            tabIndex={tab === open ? 0 : -1}
            onClick={() => put({ [TAB]: tab }, true)}
          >
            {tab}
          </button>
        ))}
      </div>
      <div id={id} role="tabpanel" aria-label={open}>
        {children(widgetsOfTab(widgets, open))}
      </div>
    </>
  );
}
