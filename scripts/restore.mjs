import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";
import { loadSettings } from "./support/settings.mjs";

/** Puts a backup in the place of the embedded store, while no server runs: npm run restore -- <file> [--overwrite] */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url));
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { overwrite: { type: "boolean" } } });
  const [file] = positionals;
  if (!file) throw new ScriptError("Say from where: npm run restore -- <file> [--overwrite]");
  const { isEmbeddedStore, DATA_DIR } = await loadSettings();
  if (!isEmbeddedStore)
    throw new ScriptError("MONGODB_URI is set: restore that server with its own tools (mongorestore).");
  process.umask(0o077);
  const { restoreStore } = await import("../lib/embedded/mongo/backup.ts");
  try {
    restoreStore(DATA_DIR, resolve(file), values.overwrite);
  } catch (error) {
    throw new ScriptError(error.message, { cause: error });
  }
  console.log(`The store in ${DATA_DIR} is that of ${file} now. Its secrets.json has to be the one of that time.`);
});
