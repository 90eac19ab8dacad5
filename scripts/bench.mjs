import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { importBundled } from "./support/bundle.mjs";
import { inRoot } from "./support/paths.mjs";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";

/**
 * Runs bench/<name>.ts, whose `run()` prints its measurements: npm run bench -- store It is bundled first, since it may
 * import the server's modules by their "@/" names.
 */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url), { forTests: true });
  const name = process.argv[2] ?? "";
  if (!/^[a-z-]+$/.test(name) || !existsSync(inRoot("bench", `${name}.ts`))) {
    const known = readdirSync(inRoot("bench")).flatMap((file) => /^([a-z-]+)\.ts$/.exec(file)?.[1] ?? []);
    throw new ScriptError(`Usage: npm run bench -- ${known.join("|")}`);
  }
  const bench = await importBundled(`bench/${name}.ts`, `dist/bench/${name}.mjs`);
  await bench.run(process.argv.slice(3));
});
