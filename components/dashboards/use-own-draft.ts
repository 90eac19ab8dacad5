"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { DraftStore, type PutDraft } from "@/components/layout/draft-store";
import { useWorkspace } from "@/components/layout/workspace-context";
import { showToast } from "@/components/ui/toast";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import type { Dashboard } from "@/lib/features/dashboards/schema";
import { ApiError } from "@/lib/platform/browser/request";

/** Returns the drafts of dashboards, which the server has too. @param onFull called when this browser has no space */
export function useDraftStore(onFull: () => void): DraftStore {
  const { user, workspace } = useWorkspace();
  const [store] = useState(() => {
    const server = {
      put: async (id: string, { base, ...body }: PutDraft) => {
        // No browser could read it: it stays here, and the editor offers to discard it.
        if (base === null) throw new ApiError(400, "invalid_request", "A draft needs the content that it changes.");
        return dashboardApi.putDraft(workspace.id, id, { ...body, base });
      },
      remove: (id: string, updatedAt: string) => dashboardApi.removeDraft(workspace.id, id, updatedAt),
    };
    return new DraftStore(user.id, workspace.id, server, onFull, "dashboard-draft");
  });
  return store;
}

type SentDraftOptions = { version?: number; enabled?: boolean; staleTime: number };

/** Reads the server's draft of a dashboard. @param options with `version`, it is read again for a new one */
export function useSentDraft(id: string, { version, ...options }: SentDraftOptions) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: ["dashboard-draft", workspace.id, id, version],
    queryFn: ({ signal }) => dashboardApi.readDraft(workspace.id, id, signal),
    gcTime: 0,
    retry: false,
    // Offline it fails at once, and this browser's draft is shown.
    networkMode: "always",
    ...options,
  });
}

/**
 * Returns the user's draft of a dashboard, as the editor would show it, and a function that discards it. It is null
 * without a draft, and until the server's one is known; without a connection, it is this browser's.
 */
export function useOwnDraft({ id, version }: Pick<Dashboard, "id" | "version">, isShown: boolean) {
  const store = useDraftStore(() => {});
  useEffect(() => store.wake({ isReader: true }), [store]);
  // A saved draft ends with a new version.
  const { data, isFetched, refetch } = useSentDraft(id, { version, enabled: isShown, staleTime: 0 });
  useSyncExternalStore(
    store.subscribe,
    () => store.read(id),
    () => null,
  );
  const draft = !isFetched || !isShown ? null : store.preview(id, data);
  const [, setDiscards] = useState(0);
  const discard = async () => {
    // Another browser may have changed it since.
    const latest = store.preview(id, (await refetch()).data);
    if (latest === null || draft === null) return;
    if (latest.content !== draft.content) {
      return showToast("Your draft was changed in another browser. Nothing was discarded.", { id: `draft-${id}` });
    }
    await store.discard(id, latest.serverAt);
    await refetch();
    setDiscards((count) => count + 1);
  };
  return { draft, discard };
}
