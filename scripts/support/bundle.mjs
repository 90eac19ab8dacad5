import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { inRoot } from "./paths.mjs";

/** CommonJS packages whose names Node.js cannot import from a module: they are bundled. */
const BUNDLED = new Set(["mysql2"]);

/**
 * Bundles a TypeScript program, which may import the server's modules by their "@/" names, and imports it.
 * @param {string} source its path below the project's folder
 * @param {string} output path of the bundle, two folders below the project's: programs find that folder from there
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
