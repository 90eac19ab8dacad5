import "server-only";
import type { NetworkConfig } from "./config";

/**
 * Opens a session with TLS. Retries without it where the connection string only prefers TLS and the server has none.
 * @param hasNoTls returns whether an error's cause is that the server lacks TLS
 */
export async function preferringTls<C extends NetworkConfig, S>(
  config: C,
  open: (config: C) => Promise<S>,
  hasNoTls: (cause: unknown) => boolean,
): Promise<S> {
  try {
    return await open(config);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : null;
    if (!config.mayBePlain || !hasNoTls(cause)) throw error;
    return open({ ...config, ssl: "disable" });
  }
}
