import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** CommonJS whose names Node.js does not see from a module: it goes into the bundle. */
const BUNDLED = new Set(["mysql2"]);

/** Bundles a module of this folder into a file that a process of its own runs. @returns its path */
export async function bundleHere(name: string): Promise<string> {
  const outfile = `${ROOT}node_modules/.cache/consoles-${name}-${process.pid}.mjs`;
  const { dependencies } = JSON.parse(await readFile(`${ROOT}package.json`, "utf8"));
  await build({
    entryPoints: [`${ROOT}lib/consoles/testing/${name}.ts`],
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
    logLevel: "error",
  });
  return outfile;
}
