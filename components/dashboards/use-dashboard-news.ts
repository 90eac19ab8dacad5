"use client";

import { useState } from "react";
import { type ItemNews, toItemNews } from "@/components/layout/item-news";
import { useLive } from "@/components/layout/use-live";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { Dashboard } from "@/lib/features/dashboards/schema";

/** The latest change of an open dashboard by someone else, and the version before it. */
export type DashboardNews = ItemNews & { before: Dashboard; isDeleted: boolean };

/** Returns the latest change of a dashboard by someone else since it was opened, until it is dismissed. */
export function useDashboardNews(dashboard: Dashboard | undefined): [DashboardNews | null, () => void] {
  const { user } = useWorkspace();
  const [news, setNews] = useState<DashboardNews | null>(null);
  useLive((event) => {
    if (event.kind !== "dashboard" || !dashboard || event.data.resourceId !== dashboard.id) return;
    const change = toItemNews(event.data, user.id);
    const { version, deleted } = event.data;
    const isDeleted = deleted === true;
    const isNewer = typeof version === "number" && version > dashboard.version;
    if (change && (isDeleted || isNewer)) setNews({ ...change, before: dashboard, isDeleted });
  });
  return [news, () => setNews(null)];
}
