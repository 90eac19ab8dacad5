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
  const [versions, setVersions] = useState({ shown: dashboard, before: dashboard });
  if (versions.shown !== dashboard) {
    const isNew = dashboard?.version !== versions.shown?.version;
    setVersions({ shown: dashboard, before: isNew ? versions.shown : versions.before });
  }
  useLive((event) => {
    if (event.kind !== "dashboard" || !dashboard || event.data.resourceId !== dashboard.id) return;
    const change = toItemNews(event.data, user.id);
    const { version, deleted } = event.data;
    const isDeleted = deleted === true;
    const isNewer = typeof version === "number" && version > dashboard.version;
    // The page may have read the version before its event.
    const wasRead = version === dashboard.version && versions.before !== undefined && versions.before.version < version;
    const before = wasRead ? (versions.before ?? dashboard) : dashboard;
    if (change && (isDeleted || isNewer || wasRead)) setNews({ ...change, before, isDeleted });
  });
  return [news, () => setNews(null)];
}
