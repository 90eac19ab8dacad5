"use client";

import { useSyncExternalStore } from "react";
import type { CreatedApiKey } from "@/lib/client/workspaces";

type FreshSecret = { ruleId: string; name: string; secret: string };

/**
 * Something that was just made, cannot be shown again, and was not yet saved by its maker. It is held here rather than in
 * the page, so that going elsewhere in the workspace and back does not lose it.
 */
class Fresh<T> {
  #held: { workspaceId: string; value: T } | null = null;
  readonly #listeners = new Set<() => void>();

  read = () => this.#held;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  hold(workspaceId: string, value: T | null): void {
    this.#held = value === null ? null : { workspaceId, value };
    for (const listener of this.#listeners) listener();
  }
}

const key = new Fresh<CreatedApiKey>();
const secret = new Fresh<FreshSecret>();

export function useFreshKey(workspaceId: string): CreatedApiKey | null {
  return useFresh(key, workspaceId);
}

/** @param made null once it was saved */
export function holdFreshKey(workspaceId: string, made: CreatedApiKey | null): void {
  key.hold(workspaceId, made);
}

/** The signing secret of a webhook's rule. */
export function useFreshSecret(workspaceId: string): FreshSecret | null {
  return useFresh(secret, workspaceId);
}

/** @param made null once it was saved */
export function holdFreshSecret(workspaceId: string, made: FreshSecret | null): void {
  secret.hold(workspaceId, made);
}

function useFresh<T>(fresh: Fresh<T>, workspaceId: string): T | null {
  const held = useSyncExternalStore(fresh.subscribe, fresh.read, () => null);
  return held?.workspaceId === workspaceId ? held.value : null;
}
