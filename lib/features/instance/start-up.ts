import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureSample } from "@/lib/features/connections/sample";
import { createSampleDashboard } from "@/lib/features/dashboards/sample";
import { checkKeys, isStoreUnused } from "@/lib/features/instance/check-keys";
import { finishDeletions } from "@/lib/features/instance/deletion";
import { declareGauges } from "@/lib/features/instance/gauges";
import { pingStore, setHealthCheck, watchHealth } from "@/lib/features/instance/health";
import { prepareStore } from "@/lib/features/instance/prepare-store";
import { handIn } from "@/lib/features/instance/register-hooks";
import { sweep } from "@/lib/features/instance/sweep";
import { beginWorkspacesBy } from "@/lib/features/workspaces/beginning";
import { isStoreAway } from "@/lib/platform/db/away";
import { isNewerSchema } from "@/lib/platform/db/newer-schema";
import { databaseReady } from "@/lib/platform/db/ready";
import { refuseNewerSchema } from "@/lib/platform/db/schema-migration";
import { SCHEMA_VERSION } from "@/lib/platform/db/schema-version";
import { type Env, env } from "@/lib/platform/env";
import { prepareRequests } from "@/lib/platform/http/remote-address";
import { startJobs } from "@/lib/platform/jobs/start";
import { log } from "@/lib/platform/log";
import { dataFolderCheck } from "@/lib/platform/process/data-folder";
import { absolutePath } from "@/lib/platform/process/paths";
import { installShutdown, isShuttingDown } from "@/lib/platform/process/shutdown";
import { ensureStoreService } from "@/lib/platform/process/store-service";
import { createSecrets, getSecrets, hasSecretsFile, SecretsMissing } from "@/lib/platform/secrets/bootstrap";
import { sweepUntilShutdown } from "@/lib/platform/work/sweep-loop";

/** Maximum time to open a large store after a power cut, in ms; a platform's health check gives up later. */
const STORE_START_TIMEOUT_MS = 45_000;
const RETRY_AFTER_MS = 5_000;
const FIRST_ANSWER_POLL_MS = 100;

/**
 * Prepares a server before its first request: checks the settings, ensures the secrets, starts or joins the embedded
 * store. A server that cannot work reports the reason and exits with code 1 instead of answering with errors.
 */
export async function startUp(): Promise<void> {
  try {
    await prepare(env());
  } catch (error) {
    // Stopped during its start: the shutdown ends the process.
    if (isShuttingDown()) return;
    refuseToStart(error);
  }
}

async function startStore({ DATA_DIR, STORE_DURABILITY }: Env): Promise<void> {
  const store = ensureStoreService({ dataDir: DATA_DIR, durability: STORE_DURABILITY });
  await store.whenUp(STORE_START_TIMEOUT_MS);
}

/**
 * Checks that this version and its secrets fit the store.
 * @param waitUntil by `performance.now()`: a store that just started may need longer for its first answer than the
 * driver
 *   waits. A server starts without any other store; the start's work checks again once it is back.
 * @throws NewerSchema, SecretsMissing
 */
async function checkStore(waitUntil: number): Promise<void> {
  for (;;) {
    try {
      await refuseNewerSchema(SCHEMA_VERSION);
      return await checkKeys();
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      if (performance.now() >= waitUntil) return;
      await sleep(FIRST_ANSWER_POLL_MS);
    }
  }
}

/** @throws SecretsMissing if the store already holds data */
async function prepareSecrets(settings: Env): Promise<void> {
  try {
    getSecrets();
  } catch (error) {
    if (!(error instanceof SecretsMissing) || !settings.isEmbeddedStore || hasSecretsFile(settings)) throw error;
    // `npm run store` may have created the store before the first server.
    await startStore(settings);
    if (!(await isStoreUnused())) throw error;
    createSecrets();
  }
}

/** Logs the first failure of a check, and its recovery. */
function toldOnce(check: () => Promise<void>): () => Promise<void> {
  let isFailing = false;
  return async () => {
    try {
      await check();
      if (isFailing) log.info("the data folder can be written to again");
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.error({ reason: String(error) }, "the data folder cannot be written to");
      isFailing = true;
      throw error;
    }
  };
}

function refuseToStart(error: unknown): never {
  process.stderr.write(`\nMillrace cannot start. ${error instanceof Error ? error.message : String(error)}\n\n`);
  process.exit(1);
}

async function prepare(settings: Env): Promise<void> {
  await prepareSecrets(settings);
  handIn();
  // Not in handIn: a commit for each of the thousands of workspaces in tests would take most of their time.
  beginWorkspacesBy(createSampleDashboard);
  prepareStore();
  prepareRequests();
  if (settings.isVercel) return;
  // The development server stops at once in another way.
  if (settings.NODE_ENV === "production") installShutdown({ port: settings.PORT });
  if (settings.isEmbeddedStore) {
    // A client that connects before the store has started fails for good, and takes others with it.
    setHealthCheck("mongo", () => Promise.reject(new Error("The store has not started yet.")));
    await startStore(settings);
    setHealthCheck("mongo", pingStore);
  }
  await checkStore(settings.isEmbeddedStore ? performance.now() + STORE_START_TIMEOUT_MS : 0);
  setHealthCheck("disk", toldOnce(dataFolderCheck(absolutePath(settings.DATA_DIR))));
  const checkJobs = await startJobs();
  if (checkJobs) setHealthCheck("jobs", checkJobs);
  watchHealth();
  declareGauges();
  for (const [name, work] of Object.entries(BACKGROUND)) {
    untilDone(name, work);
  }
}

/** Retries while it fails: a store that was unreachable at the start must not leave us without indexes. */
async function untilDone(name: string, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isNewerSchema(error) || error instanceof SecretsMissing) refuseToStart(error);
      if (isStoreAway(error)) log.info({ work: name }, "a start-up task is waiting for the store");
      else log.error({ err: error, work: name }, "a start-up task failed and will be retried");
      await sleep(RETRY_AFTER_MS, undefined, { ref: false });
    }
  }
}

/** Slow tasks that no request has to wait for. */
const BACKGROUND: Record<string, () => Promise<void>> = {
  indexes: async () => {
    await databaseReady();
    await checkKeys();
  },
  sample: async () => {
    if (env().SAMPLE_DATA !== "off") await ensureSample();
  },
  deletions: finishDeletions,
  sweep: async () => {
    await databaseReady();
    await sweepUntilShutdown(sweep);
  },
};
