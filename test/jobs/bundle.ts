import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Bundles the process to kill, which imports the product by its "@/" names. @returns the file to run */
export async function bundleCrash(): Promise<string> {
  const outfile = `${ROOT}node_modules/.cache/jobs-crash-${process.pid}.mjs`;
  const { dependencies } = JSON.parse(await readFile(`${ROOT}package.json`, "utf8"));
  buildSync({
    entryPoints: [`${ROOT}test/jobs/crash-process.ts`],
    outfile,
    alias: { "server-only": `${ROOT}test/empty.ts` },
    bundle: true,
    external: Object.keys(dependencies).filter((name) => !["server-only", "mysql2"].includes(name)),
    banner: { js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);` },
    platform: "node",
    target: "node24",
    format: "esm",
    logLevel: "error",
  });
  return outfile;
}
