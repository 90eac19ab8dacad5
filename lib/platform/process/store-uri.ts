import { env } from "../env.ts";
import { absolutePath, socketPathFor } from "./paths.ts";

/**
 * The address of the embedded store of a data folder, whoever started it. `directConnection` keeps the driver from
 * looking for other members of the set.
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
