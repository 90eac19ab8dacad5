import { ROOT } from "./paths.mjs";

/** Reads .env as the framework does, so that a script sees what the server sees. Values that are set already win. */
export async function loadDotenv() {
  const { default: nextEnv } = await import("@next/env");
  nextEnv.loadEnvConfig(ROOT, false, { info: () => {}, error: console.error });
}

/** The checked settings of the server. */
export async function loadSettings() {
  await loadDotenv();
  const { env } = await import("../../lib/platform/env.ts");
  return env();
}
