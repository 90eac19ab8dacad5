/** A lease on a resource. The resource stays open until every lease on it is released. */
export type Lease<T> = {
  readonly resource: T;
  /** Releases the lease; later calls do nothing. Resolves when the resource is closed, if this was its last lease. */
  release(): Promise<void>;
};

type Options<T> = {
  close: (resource: T) => Promise<void>;
  /** Whether it closes with the last release. Otherwise it stays open for the next lease until `retire` is called. */
  closesWhenFree?: boolean;
  /** Called after each release that leaves the resource open. */
  onRelease?: () => void;
};

/** A resource with several users. It closes once it is retired and its last lease is released. */
export class SharedResource<T> {
  readonly #resource: T;
  readonly #options: Options<T>;
  readonly #closed = Promise.withResolvers<void>();
  #leaseCount = 0;
  #isRetired: boolean;
  #isClosing = false;

  constructor(resource: T, options: Options<T>) {
    this.#resource = resource;
    this.#options = options;
    this.#isRetired = options.closesWhenFree ?? false;
    // Waiting callers get a failure; without one it must not be an unhandled rejection.
    this.#closed.promise.catch(() => {});
  }

  get leaseCount(): number {
    return this.#leaseCount;
  }

  /** Returns whether it closes with the last release. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Returns whether closing has started: take a lease on a new resource instead. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Resolves when the resource is closed, and rejects if closing fails. Does not close it. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** @throws Error if closing has started */
  lease(): Lease<T> {
    if (this.#isClosing) throw new Error("This resource is closing.");
    this.#leaseCount += 1;
    let isHeld = true;
    return {
      resource: this.#resource,
      release: async () => {
        if (!isHeld) return;
        isHeld = false;
        this.#leaseCount -= 1;
        if (this.#leaseCount === 0 && this.#isRetired) await this.#close();
        else this.#options.onRelease?.();
      },
    };
  }

  /** Closes the resource now if it is free, else with the last release. Resolves when it is closed. */
  retire(): Promise<void> {
    this.#isRetired = true;
    return this.#leaseCount === 0 ? this.#close() : this.#closed.promise;
  }

  #close(): Promise<void> {
    if (!this.#isClosing) {
      this.#isClosing = true;
      this.#options.close(this.#resource).then(this.#closed.resolve, this.#closed.reject);
    }
    return this.#closed.promise;
  }
}
