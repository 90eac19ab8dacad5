/** A busy server answers within this time. One that takes longer is of no use to a reader either. */
const PING_TIMEOUT_MS = 5000;

/**
 * Resolves when the server answers, whatever state its parts are in.
 * @throws when nothing answers, when a proxy answers for a server that is gone, and when the server is about to stop
 */
export async function ping(): Promise<void> {
  const answer = await fetch("/api/health", { cache: "no-store", signal: AbortSignal.timeout(PING_TIMEOUT_MS) });
  const health: { status?: string; failing?: string } | null = await answer.json();
  if (health?.status === undefined || health.failing === "shutdown") throw new Error("There is no server");
}
