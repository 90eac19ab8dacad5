import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inRoot } from "./support/paths.mjs";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";

/** CommonJS whose names Node.js does not see from a module: it goes into the bundle. */
const BUNDLED = new Set(["mysql2"]);

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
  const { dependencies, devDependencies } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
  const packages = Object.keys({ ...dependencies, ...devDependencies });
  await esbuild.build({
    entryPoints: [source],
    outfile: output,
    bundle: true,
    external: packages.filter((each) => !BUNDLED.has(each) && each !== "server-only"),
    banner: { js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);` },
    jsx: "automatic",
    alias: { "server-only": inRoot("test", "empty.ts") },
    platform: "node",
    target: "node24",
    format: "esm",
    logLevel: "warning",
  });
  const bench = await import(pathToFileURL(output).href);
  await bench.run(process.argv.slice(3));
});
