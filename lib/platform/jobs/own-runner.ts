import "server-only";

/** Timeout of a probe, in ms: half the time of a health check. A slower runner misses its schedules too. */
const TIMEOUT_MS = 1000;
/** Validity of a probe, in ms, so that health checks of many servers do not become load. */
const PROBE_EVERY_MS = 3000;
/** Path of the health check of Inngest's server. Any status below 500 shows that the server responds. */
const PATH = "/health";

/**
 * Returns a check of the installation's own Inngest server. It rejects while the server does not respond. The egress
 * proxy refuses this address to everyone else; the check connects directly, as Inngest's SDK does.
 */
export function checkOwnRunner(baseUrl: string, probeEveryMs = PROBE_EVERY_MS): () => Promise<void> {
  const address = new URL(PATH, `${baseUrl}/`);
  let workedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - workedAt < probeEveryMs) return;
    const response = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    if (response.status >= 500) throw new Error(`The job runner returned ${response.status}.`);
    workedAt = performance.now();
  };
}
