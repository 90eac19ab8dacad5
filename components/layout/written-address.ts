/** Address of a page. `search` is its query without the question mark, as URLSearchParams writes it. */
export type PageAddress = { path: string; search: string };

/**
 * Address that the page has written, until the router shows it. The router adopts an address in a transition, after
 * other work: without this, a click right after a change would start from the state before.
 */
export class WrittenAddress {
  #now: PageAddress | null = null;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Returns the written address; null when the router's is current. */
  readonly read = (): PageAddress | null => this.#now;

  write(now: PageAddress | null): void {
    this.#now = now;
    for (const listener of this.#listeners) listener();
  }

  /** Takes an address that the router shows. @param actual the browser's, which a link may have changed since */
  follow(shown: PageAddress, actual: PageAddress): void {
    if (this.#now === null || (isSame(this.#now, actual) && !isSame(this.#now, shown))) return;
    this.write(null);
  }
}

function isSame(one: PageAddress, other: PageAddress): boolean {
  return one.path === other.path && one.search === other.search;
}
