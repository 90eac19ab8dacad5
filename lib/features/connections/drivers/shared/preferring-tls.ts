import "server-only";
import type { NetworkConfig } from "./config";

/**
 * Opens a session with TLS and, where the connection string only prefers TLS and the server has none, without it.
 * @param hasNoTls says of an error's cause that the server does without TLS
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
