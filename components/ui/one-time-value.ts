"use client";

import { useStore } from "zustand";
import { createStore, type StoreApi } from "zustand/vanilla";

/**
 * Values that were just created, cannot be shown again, and that their creator has not saved yet, by owner. They are
 * stored here rather than in the page, so that they survive navigation.
 */
export type OneTimeValues<T> = StoreApi<ReadonlyMap<string, T>>;

export function createOneTimeValues<T>(): OneTimeValues<T> {
  return createStore(() => new Map());
}

/** @param value null once it is saved */
export function keepOneTimeValue<T>(values: OneTimeValues<T>, owner: string, value: T | null): void {
  const next = new Map(values.getState());
  if (value === null) next.delete(owner);
  else next.set(owner, value);
  values.setState(next, true);
}

export function useOneTimeValue<T>(values: OneTimeValues<T>, owner: string): T | null {
  return useStore(values, (all) => all.get(owner) ?? null);
}
