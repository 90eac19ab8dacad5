import "server-only";
import { serverMember } from "@/lib/platform/process/server-context";

export type Preparation = { work: (() => Promise<void>) | null; done: Promise<void> | null };

const preparation = serverMember("databasePreparation", () => ({ work: null, done: null }));

/**
 * Registers the work to do once per process before the first query: the start passes it, since it knows every domain.
 */
export function prepareDatabaseBy(work: () => Promise<void>): void {
  Object.assign(preparation(), { work, done: null });
}

/** Resolves when the store is prepared; the work runs once per process, and again if it failed. */
export function databaseReady(): Promise<void> {
  const state = preparation();
  if (!state.work) return Promise.reject(new Error("No preparation of the store is registered."));
  state.done ??= state.work().catch((error) => {
    state.done = null;
    throw error;
  });
  return state.done;
}
