import "server-only";
import { env } from "@/lib/platform/env";
import { toLocalUrl } from "@/lib/platform/net/reach";
import { afterRequests, onShutdown } from "@/lib/platform/process/shutdown";
import { defaultBackoff, fastBackoff } from "./backoff";
import { Application } from "./call";
import { CALLS_MAX, Executor } from "./executor";
import { startListener } from "./listener";
import { checkOwnRunner } from "./own-runner";
import { isEmbeddedRunner, runnerKeys, setListenerUrl } from "./runner";

/** Where functions are served (app/api/inngest). */
const ENDPOINT = "/api/inngest";
/** What the last answers are given to be written, within what the server's end leaves for that. */
const LAST_ANSWERS_MS = 1000;

/**
 * Starts this server's share of the embedded executor; it begins to work when the server answers.
 * @returns judges whether the job runner works (throws when not); null for Inngest's cloud
 */
export async function startJobs(): Promise<(() => Promise<void>) | null> {
  const { INNGEST_BASE_URL } = env();
  // Inngest's cloud has no address to ask.
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
  // Requests under way may still send events; functions under way are such requests themselves.
  onShutdown(() => executor.stopClaiming());
  afterRequests(async () => {
    await listener.close();
    await executor.stop(LAST_ANSWERS_MS);
  });
  return async () => executor.check();
}
