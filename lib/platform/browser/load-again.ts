import { readConnectivity, reportUnreachable, subscribeConnectivity } from "@/lib/platform/browser/connectivity";
import { reportOutdated } from "@/lib/platform/browser/page-age";
import { ping } from "@/lib/platform/browser/ping";

/** A part that a server which answers does not have by then is not there any more: the page is of an older build. */
const TRIES_OF_A_REACHED_SERVER = 3;
const TRY_AGAIN_AFTER_MS = 500;

/** Parts that are loaded when they are needed, or ahead once the page has nothing else to do. */
const parts = new Set<() => Promise<unknown>>();

/**
 * Names a part of an open page that its first paint does without.
 * @returns loads it, as `loadAgain`
 */
export function later<T>(load: () => Promise<T>): () => Promise<T> {
  parts.add(load);
  return () => loadAgain(load);
}

/**
 * Loads the parts ahead, one after the other while the page rests, those that they name in turn too: once the line is
 * cut nothing of an open page is missing.
 */
export async function loadAhead(signal: AbortSignal): Promise<void> {
  for (let [next] = parts; next && !signal.aborted; [next] = parts) {
    await untilIdle();
    await untilReachable();
    if (signal.aborted) return;
    parts.delete(next);
    // What is broken itself says so where it is needed.
    await loadAgain(next).catch(() => {});
  }
}

/**
 * Loads a part of the page, however long the server is away meanwhile: the page says that it is, and goes on when the
 * part has come, rather than being given up as a whole. A part that the server has no more is of an older build: the
 * page says so and offers to be loaded anew, and the part never comes.
 * @throws what `load` throws when it is no matter of the network
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

/** Where a browser cannot tell when it rests, a moment is enough. */
function untilIdle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve());
    else setTimeout(resolve, TRY_AGAIN_AFTER_MS);
  });
}

/** Whoever told the page that the server is away also asks for it again. */
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
