"use client";

import { useQuery } from "@tanstack/react-query";
import { toAppWorkKey } from "@/components/apps/use-apps";
import { useRefresh } from "@/components/layout/use-refresh";
import { useWorkspace } from "@/components/layout/workspace-context";
import { type App, appApi } from "@/lib/features/apps/browser/client";

/** A refresh that is under way is asked for, as long as nothing tells of its end. */
const ASK_EVERY_MS = 3000;

/** The bindings of an app, with how their rows stand. */
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
