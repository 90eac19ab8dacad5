import "server-only";
import { Inngest } from "inngest";
import { jobLogger } from "@/lib/platform/jobs/job-logger";
import { runnerKeys, runnerUrl } from "@/lib/platform/jobs/runner";
import { log } from "@/lib/platform/log";

/**
 * Sends events and declares functions, on the job runner of this installation. Its address and its keys are looked up
 * at each use: a build has neither, and the embedded executor gets its port when the server starts.
 */
export const inngest = new Inngest({
  id: "millrace",
  // Not configurable: development mode checks no signatures.
  isDev: false,
  get baseUrl() {
    return runnerUrl();
  },
  get eventKey() {
    return runnerKeys().eventKey;
  },
  get signingKey() {
    return runnerKeys().signingKey;
  },
  get signingKeyFallback() {
    return runnerKeys().signingKeyFallback ?? undefined;
  },
  // Results are stored one by one when a step ends, on every runner.
  checkpointing: false,
  sessionPropagation: false,
  aiMetadata: false,
  logger: jobLogger(log),
});
