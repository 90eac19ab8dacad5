import "server-only";
import { env } from "@/lib/platform/env";
import { serverMember } from "@/lib/platform/process/server-context";
import { deriveKey } from "@/lib/platform/secrets/bootstrap";

/** Keys for calls of functions and for events. */
export type RunnerKeys = {
  signingKey: string;
  /** The previous key during a key rotation; null when there is none. */
  signingKeyFallback: string | null;
  eventKey: string;
};

/** Returns true when this installation runs its functions itself, without an Inngest server or Inngest's cloud. */
export function isEmbeddedRunner(): boolean {
  const { INNGEST_BASE_URL, INNGEST_EVENT_KEY, INNGEST_SIGNING_KEY, isVercel } = env();
  return !isVercel && (INNGEST_BASE_URL ?? INNGEST_EVENT_KEY ?? INNGEST_SIGNING_KEY) === undefined;
}

const embeddedKeys = serverMember("jobRunnerKeys", derivedKeys);

/**
 * Returns the keys from the settings. The embedded executor's keys are derived from AUTH_SECRET, so that all servers
 * share them.
 */
export function runnerKeys(): RunnerKeys {
  const { INNGEST_EVENT_KEY, INNGEST_SIGNING_KEY, INNGEST_SIGNING_KEY_FALLBACK } = env();
  if (isEmbeddedRunner()) return embeddedKeys();
  return {
    signingKey: INNGEST_SIGNING_KEY ?? "",
    signingKeyFallback: INNGEST_SIGNING_KEY_FALLBACK ?? null,
    eventKey: INNGEST_EVENT_KEY ?? "",
  };
}

function derivedKeys(): RunnerKeys {
  return {
    signingKey: `signkey-embedded-${deriveKey("jobs signing").toString("hex")}`,
    signingKeyFallback: null,
    eventKey: deriveKey("jobs events").toString("base64url"),
  };
}

/**
 * Returns the URL to send events to and to fetch the state of large runs from.
 * @returns undefined for Inngest's cloud
 * @throws Error when this process has no embedded executor yet
 */
export function runnerUrl(): string | undefined {
  const { url } = listenerState();
  if (url !== null) return url;
  if (!isEmbeddedRunner()) return env().INNGEST_BASE_URL;
  throw new Error("The job runner has not started yet.");
}

/** Sets the URL of this process's listener; null when it is closed. */
export function setListenerUrl(url: string | null): void {
  listenerState().url = url;
}

const listenerState = serverMember("jobListener", () => ({ url: null }));
