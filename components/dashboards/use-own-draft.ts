"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import { DraftStore } from "@/components/layout/draft-store";
import { useWorkspace } from "@/components/layout/workspace-context";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";

/** Returns the drafts of dashboards, which the server has too. @param onFull called when this browser has no space */
export function useDraftStore(onFull: () => void): DraftStore {
  const { user, workspace } = useWorkspace();
  const [store] = useState(() => {
    const server = {
      put: (id: string, { base, ...body }: { content: string; version: number; base: string | null }) =>
        dashboardApi.putDraft(workspace.id, id, { ...body, base: base ?? "" }),
      remove: (id: string) => dashboardApi.removeDraft(workspace.id, id),
    };
    return new DraftStore(user.id, workspace.id, server, onFull, "dashboard-draft");
  });
  return store;
}

/** Returns this browser's draft of a dashboard, null without one, and a function that discards it. */
export function useOwnDraft(dashboardId: string) {
  const store = useDraftStore(() => {});
  useEffect(() => store.wake(), [store]);
  const draft = useSyncExternalStore(
    store.subscribe,
    () => store.read(dashboardId),
    () => null,
  );
  return { draft, discard: () => store.drop(dashboardId) };
}
