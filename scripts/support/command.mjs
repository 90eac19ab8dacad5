import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { isBuildCurrent } from "./build-stamp.mjs";
import { inRoot, ROOT } from "./paths.mjs";
import { main, ScriptError } from "./run.mjs";
import { ensureRuntime } from "./runtime.mjs";
import { loadDotenv } from "./settings.mjs";

/** Commands of operators: the build bundles each source into dist/commands/<name>.mjs. */
export const COMMAND_ENTRIES = {
  backup: "scripts/commands/backup.ts",
  outbox: "scripts/commands/outbox.ts",
  "repo-export": "scripts/commands/export-repository.ts",
  "repo-project": "scripts/commands/project-repository.ts",
  "rotate-keys": "scripts/commands/rotate-keys.ts",
  secrets: "scripts/commands/secrets.ts",
  store: "scripts/commands/store.ts",
};
/**
 * CommonJS packages whose names Node.js cannot import from a module, and a marker that only the bundler understands.
 */
const BUNDLED = ["mysql2", "server-only"];
/** Errors whose message says what to do. */
const FOR_THE_READER = ["CommandError", "EnvError", "ServiceDown", "NewerSchema", "SecretsMissing"];

/**
 * Runs one function of a command with the arguments of this process, and ends with the code that it returns.
 * @param {string} script path of the calling script
 * @param {keyof typeof COMMAND_ENTRIES} name
 * @param {string} exported name of the function
 */
export async function runCommand(script, name, exported) {
  await main(async () => {
    await ensureRuntime(script);
    await loadDotenv();
    try {
      const command = await importCommand(name);
      return await command[exported](process.argv.slice(2), (line) => console.log(line));
    } catch (error) {
      if (isForTheReader(error)) throw new ScriptError(error.message, { cause: error });
      throw error;
    }
  });
}

function isForTheReader(error) {
  return String(error?.code).startsWith("ERR_PARSE_ARGS") || FOR_THE_READER.includes(error?.name);
}

/** Imports the built command; if the sources are newer than the build, or there is none, it is bundled first. */
async function importCommand(name) {
  const built = inRoot("dist", "commands", `${name}.mjs`);
  // An image of the product has the scripts and the build, and nothing that could be bundled.
  const hasSources = existsSync(inRoot("lib"));
  if (existsSync(built) && (!hasSources || isBuildCurrent())) {
    // The command's child programs are the built ones, too.
    process.env.NODE_ENV ??= "production";
    return import(pathToFileURL(built).href);
  }
  const folder = inRoot("node_modules", ".cache", "commands");
  await bundleCommands(folder, { [name]: COMMAND_ENTRIES[name] });
  return import(pathToFileURL(inRoot("node_modules", ".cache", "commands", `${name}.mjs`)).href);
}

/**
 * Bundles commands into a folder of the project; packages stay in node_modules, since some are native.
 * @param {string} outdir
 * @param {Partial<typeof COMMAND_ENTRIES>} [entries]
 */
export async function bundleCommands(outdir, entries = COMMAND_ENTRIES) {
  const esbuild = await import("esbuild");
  const { dependencies } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
  await esbuild.build({
    entryPoints: Object.entries(entries).map(([out, source]) => ({ in: inRoot(source), out })),
    outdir,
    outExtension: { ".js": ".mjs" },
    alias: { "@": ROOT, "server-only": inRoot("node_modules", "server-only", "empty.js") },
    bundle: true,
    external: Object.keys(dependencies).filter((name) => !BUNDLED.includes(name)),
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    platform: "node",
    target: "node24",
    format: "esm",
    jsx: "automatic",
    logLevel: "warning",
  });
  await esbuild.stop();
}
