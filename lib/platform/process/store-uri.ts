import { env } from "../env.ts";
import { absolutePath, socketPathFor } from "./paths.ts";

/**
 * Returns the address of a data folder's embedded store, whichever process started it. `directConnection` keeps the
 * driver from looking for other members of the replica set.
 */
export function storeUri(dataDir: string = env().DATA_DIR): string {
  return socketUri(storeSocketPath(dataDir));
}

export function storeSocketPath(dataDir: string): string {
  return socketPathFor(absolutePath(dataDir));
}

function socketUri(socketPath: string): string {
  return `mongodb://${encodeURIComponent(socketPath)}/?directConnection=true`;
}
