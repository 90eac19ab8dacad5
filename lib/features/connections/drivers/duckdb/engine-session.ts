import "server-only";
import type { ExecuteRequest } from "@/lib/platform/embedded/engine/wire";
import type { EngineClient } from "@/lib/platform/engines/client";
import type { ManualSession, QueryOptions, SessionOptions, Statement } from "../../data-source";

/**
 * Opens a session for manual transactions in a file's engine. Its isolation is the engine's only level.
 * @param toRequest the engine's form of a statement
 */
export async function openEngineSession(
  client: EngineClient,
  { readOnly, signal }: SessionOptions,
  toRequest: (statement: Statement, options: QueryOptions) => ExecuteRequest,
): Promise<ManualSession> {
  const session = await client.openSession(readOnly, signal);
  return {
    get state() {
      return session.state;
    },
    get isAlive() {
      return session.isAlive;
    },
    query: (statement, options) => session.execute(toRequest(statement, { ...options, readOnly }), options.signal),
    settled: () => session.settled,
    close: () => session.close(),
  };
}
