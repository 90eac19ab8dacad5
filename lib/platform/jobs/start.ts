import "server-only";
import { env } from "@/lib/platform/env";
import { toLocalUrl } from "@/lib/platform/net/exposure";
import { afterRequests, onShutdown } from "@/lib/platform/process/shutdown";
import { defaultBackoff, fastBackoff } from "./backoff";
import { Application } from "./call";
import { CALLS_MAX, Executor } from "./executor";
import { startListener } from "./listener";
import { checkOwnRunner } from "./own-runner";
import { isEmbeddedRunner, runnerKeys, setListenerUrl } from "./runner";

/** Path at which functions are served (app/api/inngest). */
const ENDPOINT = "/api/inngest";
/** Maximum time to write the last responses during shutdown, in ms. */
const LAST_ANSWERS_MS = 1000;

/**
 * Starts this server's part of the embedded executor. Work begins when the server responds.
 * @returns a check of the job runner, which throws while it does not work; null for Inngest's cloud
 */
export async function startJobs(): Promise<(() => Promise<void>) | null> {
  const { INNGEST_BASE_URL } = env();
  // Inngest's cloud has no address to check.
  if (!isEmbeddedRunner()) return INNGEST_BASE_URL === undefined ? null : checkOwnRunner(INNGEST_BASE_URL);
  const { HOST, PORT, JOB_RETRY_FAST } = env();
  const keys = runnerKeys();
  const url = new URL(ENDPOINT, toLocalUrl(HOST, PORT));
  const executor = new Executor({
    application: new Application(url, keys.signingKey, CALLS_MAX),
    backoff: JOB_RETRY_FAST ? fastBackoff : defaultBackoff,
  });
  const listener = await startListener(executor, keys);
  setListenerUrl(listener.url);
  executor.start();
  // Running requests may still send events; running functions are such requests themselves.
  onShutdown(() => executor.stopClaiming());
  afterRequests(async () => {
    await listener.close();
    await executor.stop(LAST_ANSWERS_MS);
  });
  return async () => executor.check();
}
