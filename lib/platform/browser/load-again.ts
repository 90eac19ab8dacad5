import { readConnectivity, reportUnreachable, subscribeConnectivity } from "@/lib/platform/browser/connectivity";
import { reportOutdated } from "@/lib/platform/browser/page-age";
import { ping } from "@/lib/platform/browser/ping";

/** After this many tries against a reachable server, a part is missing for good: the page is of an older build. */
const TRIES_OF_A_REACHED_SERVER = 3;
const TRY_AGAIN_AFTER_MS = 500;

/** Parts that load on demand, or ahead once the page is idle. */
const parts = new Set<() => Promise<unknown>>();

/**
 * Registers a part of an open page that its first paint does not need.
 * @returns a function that loads it, as `loadAgain`
 */
export function later<T>(load: () => Promise<T>): () => Promise<T> {
  parts.add(load);
  return () => loadAgain(load);
}

/** Mark in the page's performance entries: all parts are loaded, and the page works offline. */
const LOADED_AHEAD = "millrace-loaded-ahead";

/**
 * Loads the parts ahead, one after another while the page is idle, including those that they register: an open page
 * then works offline.
 */
export async function loadAhead(signal: AbortSignal): Promise<void> {
  for (let [next] = parts; next && !signal.aborted; [next] = parts) {
    await untilIdle();
    await untilReachable();
    if (signal.aborted) return;
    parts.delete(next);
    // A broken part reports its error where it is used.
    await loadAgain(next).catch(() => {});
  }
  performance.mark(LOADED_AHEAD);
}

/**
 * Loads a part of the page, for as long as the server is unreachable: the page says so and continues once the part is
 * loaded, instead of failing as a whole. A part that the server no longer has is of an older build: the page says so
 * and offers a reload, and the promise never settles.
 * @throws what `load` throws if it is not a network error
 */
export async function loadAgain<T>(load: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await load();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "ChunkLoadError") throw error;
      if (await isServerThere()) {
        if (failures >= TRIES_OF_A_REACHED_SERVER) {
          reportOutdated();
          return new Promise(() => {});
        }
        await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_AFTER_MS));
      } else {
        failures = 0;
        reportUnreachable();
        await untilReachable();
      }
    }
  }
}

async function isServerThere(): Promise<boolean> {
  return ping().then(
    () => true,
    () => false,
  );
}

/** A short delay is enough in browsers without requestIdleCallback. */
function untilIdle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve());
    else setTimeout(resolve, TRY_AGAIN_AFTER_MS);
  });
}

/** Waits for the code that reported the outage, which also polls the server. */
function untilReachable(): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!readConnectivity().isOnline) return;
      leave();
      resolve();
    };
    const leave = subscribeConnectivity(look);
    look();
  });
}
