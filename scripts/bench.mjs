import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inRoot } from "./support/paths.mjs";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";

/**
 * Runs bench/<name>.ts, whose `run()` prints what it measured: npm run bench -- store
 * It is bundled first, since it may use the server's own modules by their "@/" names.
 */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url));
  const name = process.argv[2] ?? "";
  const source = inRoot("bench", `${name}.ts`);
  if (!/^[a-z-]+$/.test(name) || !existsSync(source)) {
    const known = readdirSync(inRoot("bench")).flatMap((file) => /^([a-z-]+)\.ts$/.exec(file)?.[1] ?? []);
    throw new ScriptError(`Say which: npm run bench -- ${known.join("|")}`);
  }
  const output = inRoot("dist", "bench", `${name}.mjs`);
  const esbuild = await import("esbuild");
  await esbuild.build({
    entryPoints: [source],
    outfile: output,
    bundle: true,
    packages: "external",
    alias: { "server-only": inRoot("test", "empty.ts") },
    platform: "node",
    target: "node24",
    format: "esm",
    logLevel: "warning",
  });
  const bench = await import(pathToFileURL(output).href);
  await bench.run(process.argv.slice(3));
});
