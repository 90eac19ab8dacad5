"use client";

import { useQuery } from "@tanstack/react-query";
import { toAppWorkKey } from "@/components/apps/use-apps";
import { useRefresh } from "@/components/layout/use-refresh";
import { useWorkspace } from "@/components/layout/workspace-context";
import { appApi } from "@/lib/features/apps/browser/client";
import type { App } from "@/lib/features/apps/schema";

/** Polling interval of a running refresh, whose end sends no event. */
const ASK_EVERY_MS = 3000;

/** Reads the bindings of an app with the state of their rows. */
export function useBindings(app: App) {
  const { workspace } = useWorkspace();
  const key = [...toAppWorkKey(workspace.id, app.id), "bindings"];
  useRefresh([key], ({ kind, data }) => kind === "app" && data.appId === app.id);
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => appApi.listBindings(workspace.id, app.id, signal),
    refetchInterval: ({ state }) =>
      state.data?.some(
        ({ build, published }) => isMoving(build.state) || (published !== null && isMoving(published.state)),
      )
        ? ASK_EVERY_MS
        : false,
  });
}

export function isMoving(state: string): boolean {
  return state === "queued" || state === "building";
}
