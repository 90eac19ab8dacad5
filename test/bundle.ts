import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** CommonJS packages whose exports Node.js cannot detect from a module: they are bundled. */
const BUNDLED = new Set(["mysql2"]);

/**
 * Bundles a module into a file that runs as a separate process.
 * @param source its path in the project
 * @returns the path of the bundle
 */
export async function bundleProcess(source: string): Promise<string> {
  const outfile = `${ROOT}node_modules/.cache/${basename(source, ".ts")}-${process.pid}.mjs`;
  const { dependencies } = JSON.parse(await readFile(`${ROOT}package.json`, "utf8"));
  // One process for each build: the service of the other form may have ended since an earlier file.
  buildSync({
    entryPoints: [`${ROOT}${source}`],
    outfile,
    alias: { "server-only": `${ROOT}test/empty.ts` },
    bundle: true,
    external: Object.keys(dependencies).filter(
      (dependency) => !BUNDLED.has(dependency) && dependency !== "server-only",
    ),
    banner: { js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);` },
    platform: "node",
    target: "node24",
    format: "esm",
    jsx: "automatic",
    logLevel: "error",
  });
  return outfile;
}
