import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { BOOT, CARRIED, type CarriedMode, type CarriedName } from "./carried.ts";

/*
 * Builds the files of the bundled packages during our own build, so that app builds and dev servers find them ready.
 */

const require = createRequire(import.meta.url);
const ENTRY = "\0entry:";
/** Our own package; the others are npm packages. */
const RUNTIME = "@millrace/app";
/** File with the versions that a folder was built from. */
const KEY = "key";
const RUNTIME_SOURCE = "lib/features/apps/runtime/index.ts";

/**
 * Builds the files of the current versions.
 * @param folder target folder; it appears complete or not at all
 */
export async function makeCarried(folder: string, root: string = process.cwd()): Promise<void> {
  const key = carriedKey(root);
  if (keyIn(folder) === key) return;
  const made = `${folder}.${process.pid}`;
  for (const mode of ["development", "production"] as const) {
    await makeMode(join(made, mode), mode, root);
    await makeBoot(join(made, mode), mode, root);
  }
  await writeFile(join(made, KEY), key);
  try {
    await rm(folder, { recursive: true, force: true });
    await rename(made, folder);
  } catch (error) {
    // Another process was faster.
    await rm(made, { recursive: true, force: true });
    if (keyIn(folder) !== key) throw error;
  }
}

function keyIn(folder: string): string | null {
  const file = join(folder, KEY);
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

/**
 * Returns a hash of the inputs of the files and of the builds that use them: the versions of the packages and our own
 * sources.
 */
function carriedKey(projectRoot: string): string {
  const hash = createHash("sha256");
  for (const name of ["react", "react-dom", "vega-embed", "vega", "vega-lite", "vite", "@vitejs/plugin-react"]) {
    const { version } = JSON.parse(readFileSync(join(projectRoot, "node_modules", name, "package.json"), "utf8"));
    hash.update(`${name}@${version}\0`);
  }
  const own = dirname(fileURLToPath(import.meta.url));
  for (const folder of [own, join(projectRoot, dirname(RUNTIME_SOURCE))]) {
    for (const name of readdirSync(folder).sort()) {
      if (/\.tsx?$/.test(name)) hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
    }
  }
  return hash.digest("hex").slice(0, 12);
}

async function makeMode(folder: string, mode: CarriedMode, root: string): Promise<void> {
  const names = Object.keys(CARRIED) as CarriedName[];
  await build({
    root,
    configFile: false,
    envDir: false,
    logLevel: "error",
    mode,
    define: { "process.env.NODE_ENV": JSON.stringify(mode) },
    publicDir: false,
    plugins: [
      {
        name: "entries",
        enforce: "pre",
        resolveId(source) {
          if (source.startsWith(ENTRY)) return source;
          return source === RUNTIME ? join(root, RUNTIME_SOURCE) : null;
        },
        load(id) {
          if (!id.startsWith(ENTRY)) return null;
          return entryOf(id.slice(ENTRY.length) as CarriedName);
        },
      },
    ],
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2022",
      minify: true,
      sourcemap: false,
      rolldownOptions: {
        input: Object.fromEntries(names.map((name) => [CARRIED[name], `${ENTRY}${name}`])),
        preserveEntrySignatures: "strict",
        output: { format: "es", entryFileNames: "[name].js", chunkFileNames: "shared-[hash].js" },
      },
    },
  });
}

/** Builds the script that runs in a page before the app: one script without imports, inlined into the page. */
async function makeBoot(folder: string, mode: CarriedMode, root: string): Promise<void> {
  await build({
    root,
    configFile: false,
    envDir: false,
    logLevel: "error",
    mode,
    define: { "process.env.NODE_ENV": JSON.stringify(mode) },
    publicDir: false,
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: "es2022",
      rolldownOptions: {
        input: join(root, dirname(RUNTIME_SOURCE), BOOT.replace(/\.js$/, ".ts")),
        output: { format: "iife", entryFileNames: BOOT },
      },
    },
  });
}

/** Returns a package's entry module. A CommonJS package's exports are known only after it has run. */
function entryOf(name: CarriedName): string {
  if (name === RUNTIME || name === "vega-embed") {
    return `export * from "${name}";${name === RUNTIME ? "" : `export { default } from "${name}";`}`;
  }
  const exported = Object.keys(require(name)).filter((each) => each !== "default" && /^[A-Za-z_$][\w$]*$/.test(each));
  return `export { ${exported.join(", ")} } from "${name}"; export { default } from "${name}";`;
}

if (argv[1] === fileURLToPath(import.meta.url)) await makeCarried(argv[2] ?? "dist/carried");
