import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";
import { loadSettings } from "./support/settings.mjs";

/** Writes the embedded store into one file; the server may run: npm run backup -- <file> */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url));
  const [file] = process.argv.slice(2);
  if (!file) throw new ScriptError("Say where to: npm run backup -- <file>");
  const { isEmbeddedStore, DATA_DIR } = await loadSettings();
  if (!isEmbeddedStore)
    throw new ScriptError("MONGODB_URI is set: back up that server with its own tools (mongodump).");
  // Only the owner may read it: it has what the store has.
  process.umask(0o077);
  const { backupStore } = await import("../lib/embedded/mongo/backup.ts");
  try {
    backupStore(DATA_DIR, resolve(file));
  } catch (error) {
    throw new ScriptError(error.message, { cause: error });
  }
  console.log(`The store is in ${file}.`);
  console.log(`Keep ${DATA_DIR}/secrets.json too, in another place: without it the stored passwords cannot be opened.`);
});
