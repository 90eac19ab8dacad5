import { fileURLToPath, pathToFileURL } from "node:url";
import { inRoot, ROOT } from "./support/paths.mjs";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";

/**
 * Seals all stored secrets with the newest of ENCRYPTION_KEYS, while servers run:
 * npm run keys:rotate
 * npm run keys:rotate -- --new-key   prints a fresh key to put in front
 */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url));
  const { default: nextEnv } = await import("@next/env");
  nextEnv.loadEnvConfig(ROOT, false, { info: () => {}, error: console.error });
  const { rotateCommand } = await import(await bundle("lib/commands/rotate-keys.ts"));
  try {
    return await rotateCommand(process.argv.slice(2), (line) => console.log(line));
  } catch (error) {
    if (isForTheReader(error)) throw new ScriptError(error.message);
    throw error;
  }
});

/** A wrong argument or setting, or a store that is away: the message says what to do, a stack would hide it. */
function isForTheReader(error) {
  return String(error?.code).startsWith("ERR_PARSE_ARGS") || ["EnvError", "ServiceDown"].includes(error?.name);
}

/** The product's modules use the alias `@/`, which Node alone does not know. */
async function bundle(source) {
  const esbuild = await import("esbuild");
  const outfile = inRoot("node_modules", ".cache", "keys-rotate.mjs");
  await esbuild.build({
    entryPoints: [inRoot(source)],
    outfile,
    alias: { "@": ROOT, "server-only": inRoot("node_modules", "server-only", "empty.js") },
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node24",
    format: "esm",
    logLevel: "warning",
  });
  return pathToFileURL(outfile).href;
}
