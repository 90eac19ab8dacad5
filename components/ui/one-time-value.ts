"use client";

import { useSyncExternalStore } from "react";

/**
 * A value that was just created, cannot be shown again, and that its creator has not saved yet. It is stored here
 * rather than in the page, so that it survives navigation.
 */
export class OneTimeValues<T> {
  #held: ReadonlyMap<string, T> = new Map();
  readonly #nothing: ReadonlyMap<string, T> = new Map();
  readonly #listeners = new Set<() => void>();

  read = () => this.#held;

  /** Returns the value for the server and for hydration. */
  readNothing = () => this.#nothing;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** @param place owner of the value @param value null once it is saved */
  hold(place: string, value: T | null): void {
    const next = new Map(this.#held);
    if (value === null) next.delete(place);
    else next.set(place, value);
    this.#held = next;
    for (const listener of this.#listeners) listener();
  }
}

export function useOneTimeValue<T>(values: OneTimeValues<T>, place: string): T | null {
  return useSyncExternalStore(values.subscribe, values.read, values.readNothing).get(place) ?? null;
}
