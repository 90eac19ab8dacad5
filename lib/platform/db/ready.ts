import "server-only";

type Preparation = { work: () => Promise<void>; done: Promise<void> | null };

// Route bundles and the start-up hook are separate module instances in one process.
const KEY = Symbol.for("millrace.db.preparation");
const shared = globalThis as { [KEY]?: Preparation };

/**
 * Registers the work to do once per process before the first query: the start passes it, since it knows every domain.
 */
export function prepareDatabaseBy(work: () => Promise<void>): void {
  shared[KEY] = { work, done: null };
}

/** Resolves when the store is prepared; the work runs once per process, and again if it failed. */
export function databaseReady(): Promise<void> {
  const preparation = shared[KEY];
  if (!preparation) return Promise.reject(new Error("No preparation of the store is registered."));
  preparation.done ??= preparation.work().catch((error) => {
    preparation.done = null;
    throw error;
  });
  return preparation.done;
}
