"use client";

import { useSyncExternalStore } from "react";
import type { CreatedApiKey } from "@/lib/client/workspaces";

type FreshKey = { workspaceId: string; key: CreatedApiKey };

let fresh: FreshKey | null = null;
const listeners = new Set<() => void>();

/**
 * A key that was just made and not yet saved by its maker. It is held here rather than in the page, so that going
 * elsewhere in the workspace and back does not lose what cannot be shown again.
 */
export function useFreshKey(workspaceId: string): CreatedApiKey | null {
  const held = useSyncExternalStore(
    subscribe,
    () => fresh,
    () => null,
  );
  return held?.workspaceId === workspaceId ? held.key : null;
}

/** @param key null once it was saved */
export function holdFreshKey(workspaceId: string, key: CreatedApiKey | null): void {
  fresh = key === null ? null : { workspaceId, key };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
