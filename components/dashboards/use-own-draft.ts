"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import { DraftStore } from "@/components/layout/draft-store";
import { useWorkspace } from "@/components/layout/workspace-context";

/** Returns this browser's draft of a dashboard, null without one, and a function that discards it. */
export function useOwnDraft(dashboardId: string) {
  const { user, workspace } = useWorkspace();
  const [store] = useState(() => new DraftStore(user.id, workspace.id, null, () => {}, "dashboard-draft"));
  useEffect(() => store.wake(), [store]);
  const draft = useSyncExternalStore(
    store.subscribe,
    () => store.read(dashboardId),
    () => null,
  );
  return { draft, discard: () => store.drop(dashboardId) };
}
