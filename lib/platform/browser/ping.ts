/** Maximum time for an answer of a busy server, in ms. A slower one is of no use to a reader either. */
const PING_TIMEOUT_MS = 5000;

/**
 * Resolves when the server responds, even if it is unhealthy.
 * @throws if there is no response, if a proxy answers for a missing server, and if the server is about to stop
 */
export async function ping(): Promise<void> {
  const answer = await fetch("/api/health", { cache: "no-store", signal: AbortSignal.timeout(PING_TIMEOUT_MS) });
  const health: { status?: string; failing?: string } | null = await answer.json();
  if (health?.status === undefined || health.failing === "shutdown") throw new Error("There is no server");
}
