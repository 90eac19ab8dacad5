"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { fitWorkbench, readWorkbench, type Workbench } from "@/lib/features/consoles/browser/workbench";

/**
 * Delay before the workbench is sent to the account, in ms: it must arrive within a second of its change
 * (docs/develop/design.md, Layout), including the request.
 */
const SEND_AFTER_MS = 700;
/**
 * Maximum size of the workbench: preferences take 64 KiB in total, for several workspaces. Texts that do not fit stay
 * in this browser.
 */
const WORKBENCH_CHARS_MAX = 40 * 1024;

/** Stores the workbench with the account, so that tabs and unsaved texts are available in another browser. */
export function useKeptWorkbench(): void {
  const { user, workspace, workbench: store } = useWorkspace();
  const queryClient = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    let sent: Workbench | null = null;
    let timer: ReturnType<typeof setTimeout> | null = null;

    const send = async () => {
      timer = null;
      const workbench = store.read();
      if (workbench === null || workbench === sent) return;
      try {
        await accountApi.updatePreferences({
          panels: { [workspace.id]: fitWorkbench(workbench, WORKBENCH_CHARS_MAX) },
        });
        sent = workbench;
      } catch {
        // This browser's copy is the later one: the next change or the next page sends it.
      }
    };
    const onChange = () => {
      if (!store.isSettled() || store.read() === sent || timer !== null) return;
      timer = setTimeout(send, SEND_AFTER_MS);
    };
    const begin = async () => {
      let kept: Workbench | null = null;
      try {
        const { panels } = await readPreferences(queryClient, user.id);
        kept = readWorkbench(panels[workspace.id]);
      } catch {
        // Without an answer, this browser's copy applies.
      }
      if (stop.signal.aborted) return;
      sent = kept;
      store.settle(kept);
      // If the merge changed nothing, the server already has it.
      if (store.read()?.changedAt === kept?.changedAt) sent = store.read();
      onChange();
    };

    const unsubscribe = store.subscribe(onChange);
    void begin();
    return () => {
      stop.abort();
      unsubscribe();
      if (timer !== null) {
        clearTimeout(timer);
        void send();
      }
    };
  }, [store, user.id, workspace.id, queryClient]);
}

/** Loads the account's preferences once for the whole page. */
export function readPreferences(queryClient: ReturnType<typeof useQueryClient>, userId: string) {
  return queryClient.fetchQuery({
    queryKey: ["preferences", userId],
    queryFn: () => accountApi.readPreferences(),
    staleTime: ONE_LOAD_MS,
    gcTime: ONE_LOAD_MS,
    retry: false,
  });
}

const ONE_LOAD_MS = 5000;
