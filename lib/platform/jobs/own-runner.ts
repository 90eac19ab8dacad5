import "server-only";

/** Half of what a health check may take: a runner that is slower than this misses its schedules, too. */
const TIMEOUT_MS = 1000;
/** A probe counts this long, so that health checks of many servers do not become load. */
const PROBE_EVERY_MS = 3000;
/** Inngest's server answers here; any answer below 500 shows that something serves its address. */
const PATH = "/health";

/**
 * Returns a check of an Inngest server of the installation's own: it rejects while the server does not answer.
 * The egress proxy refuses this address to everyone else; the check goes the way of Inngest's SDK.
 */
export function checkOwnRunner(baseUrl: string, probeEveryMs = PROBE_EVERY_MS): () => Promise<void> {
  const address = new URL(PATH, `${baseUrl}/`);
  let workedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - workedAt < probeEveryMs) return;
    const response = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    if (response.status >= 500) throw new Error(`The job runner answered ${response.status}.`);
    workedAt = performance.now();
  };
}
