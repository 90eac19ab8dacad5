"use client";

import { useState } from "react";
import { useDashboardTabs } from "@/components/dashboards/dashboard-tabs";
import type { Editing } from "@/components/dashboards/edit/use-editing";
import { startTab } from "@/lib/features/dashboards/browser/edit/draft";

/** Tabs that have no widgets yet. A dashboard knows its tabs by their widgets, so a reload drops these. */
export type NewTabs = {
  added: readonly string[];
  /** Adds a tab and opens it. */
  add: () => void;
  rename: (tab: string, name: string) => void;
  remove: (tab: string) => void;
  /** The tab that was added last, until it has another name. */
  unnamed: string | null;
};

export function useNewTabs({ draft, apply }: Editing): NewTabs {
  const [added, setAdded] = useState<readonly string[]>([]);
  const [unnamed, setUnnamed] = useState<string | null>(null);
  const { tabs, show } = useDashboardTabs(draft.widgets, added);
  return {
    added,
    unnamed,
    add: () => {
      const [next, name] = startTab(draft, tabs);
      if (next.widgets !== draft.widgets) apply(next, "Add tab");
      setAdded([...added, name]);
      setUnnamed(name);
      show(name, false);
    },
    rename: (tab, name) => {
      setAdded(added.map((each) => (each === tab ? name : each)));
      setUnnamed(null);
    },
    remove: (tab) => setAdded(added.filter((each) => each !== tab)),
  };
}
