import { fileURLToPath } from "node:url";
import { importBundled } from "./support/bundle.mjs";
import { ROOT } from "./support/paths.mjs";
import { main } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";

/**
 * Writes a workspace's repository as a bare git repository:
 * npm run repo:export -- <id or slug> <new folder>
 */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url));
  const { default: nextEnv } = await import("@next/env");
  nextEnv.loadEnvConfig(ROOT, false, { info: () => {}, error: console.error });
  const { exportCommand } = await importBundled("lib/commands/export-repository.ts");
  return exportCommand(process.argv.slice(2), (line) => console.log(line));
});
