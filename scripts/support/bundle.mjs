import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { inRoot } from "./paths.mjs";

/** CommonJS whose names Node.js does not see from a module: it goes into the bundle. */
const BUNDLED = new Set(["mysql2"]);

/**
 * Bundles a TypeScript program, which may use the server's own modules by their "@/" names, and imports it.
 * @param {string} source its path below the project's folder
 * @param {string} output where the bundle goes, two folders below the project's: programs find that folder from there
 */
export async function importBundled(source, output) {
  const esbuild = await import("esbuild");
  const { dependencies, devDependencies } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
  const packages = Object.keys({ ...dependencies, ...devDependencies });
  await esbuild.build({
    entryPoints: [inRoot(source)],
    outfile: inRoot(output),
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
  return import(pathToFileURL(inRoot(output)).href);
}
