import { ROOT } from "./paths.mjs";

/**
 * Reads .env as the framework does, so that a script sees the server's settings. Variables that are already set take
 * precedence.
 */
export async function loadDotenv() {
  const { default: nextEnv } = await import("@next/env");
  nextEnv.loadEnvConfig(ROOT, false, { info: () => {}, error: console.error });
}

/** Returns the validated settings of the server. */
export async function loadSettings() {
  await loadDotenv();
  const { env } = await import("../../lib/platform/env.ts");
  return env();
}
