import { api } from "@/lib/client/api";
import { readConnectivity, reportUnreachable, subscribeConnectivity } from "@/lib/client/connectivity";

/** A part that a server which answers does not have by then is not there any more: the page is of an older build. */
const TRIES_OF_A_REACHED_SERVER = 3;
const TRY_AGAIN_AFTER_MS = 500;

/**
 * Loads a part of the page, however long the server is away meanwhile: the page says that it is, and goes on when the
 * part has come, rather than being given up as a whole.
 * @throws what `load` throws when it is no matter of the network, or the server has no such part
 */
export async function loadAgain<T>(load: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await load();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "ChunkLoadError") throw error;
      if (await isServerThere()) {
        if (failures >= TRIES_OF_A_REACHED_SERVER) throw error;
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
  return api.ping().then(
    () => true,
    () => false,
  );
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
