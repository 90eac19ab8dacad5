"use client";

import { useSyncExternalStore } from "react";

/**
 * Something that was just made, cannot be shown again, and was not yet saved by its maker. It is held here rather than in
 * the page, so that going elsewhere and back does not lose it.
 */
export class Fresh<T> {
  #held: ReadonlyMap<string, T> = new Map();
  readonly #nothing: ReadonlyMap<string, T> = new Map();
  readonly #listeners = new Set<() => void>();

  read = () => this.#held;

  /** On the server, and while a page wakes up. */
  readNothing = () => this.#nothing;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** @param place what it belongs to @param value null once it was saved */
  hold(place: string, value: T | null): void {
    const next = new Map(this.#held);
    if (value === null) next.delete(place);
    else next.set(place, value);
    this.#held = next;
    for (const listener of this.#listeners) listener();
  }
}

export function useFresh<T>(fresh: Fresh<T>, place: string): T | null {
  return useSyncExternalStore(fresh.subscribe, fresh.read, fresh.readNothing).get(place) ?? null;
}
