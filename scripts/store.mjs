import { fork } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { inRoot, ROOT } from "./support/paths.mjs";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";
import { loadSettings } from "./support/settings.mjs";

/**
 * Runs the embedded store alone and prints its address, for several servers on one machine:
 * npm run store -- --port 27017
 * On a port it asks for a password: STORE_PASSWORD, or one that the first start makes and shows in the address.
 * Without a port it listens on the socket of DATA_DIR, where `npm start` joins it.
 */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url));
  const { port } = readArguments();
  const { DATA_DIR, STORE_DURABILITY } = await loadSettings();
  const { CHILD_ENTRIES } = await import("../lib/process/entries.ts");
  const { absolutePath, ensureSocketFolder } = await import("../lib/process/paths.ts");
  const { storeSocketPath } = await import("../lib/process/store-uri.ts");

  ensureSocketFolder();
  const place = port === undefined ? ["--socket", storeSocketPath(DATA_DIR)] : ["--port", port];
  const args = ["--data", absolutePath(DATA_DIR), ...place, "--durability", STORE_DURABILITY];
  return runStore(inRoot(CHILD_ENTRIES.store), args, port !== undefined);
});

function readArguments() {
  const { values } = parseArgs({ options: { port: { type: "string" } }, strict: true });
  if (values.port !== undefined && !(/^\d{1,5}$/.test(values.port) && Number(values.port) <= 65_535)) {
    throw new ScriptError("--port takes a port number; 0 chooses a free one.");
  }
  return values;
}

function hintFor(uri) {
  return uri.includes("$STORE_PASSWORD")
    ? "Put the password in the place of $STORE_PASSWORD. If it is lost, start once with another STORE_PASSWORD."
    : "The password in the address is shown this once. Keep it, or choose your own with STORE_PASSWORD.";
}

function runStore(entry, args, hasPort) {
  const store = fork(entry, args, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit", "ipc"] });
  store.on("message", (message) => {
    if (message?.type !== "ready") return;
    console.log(message.uri);
    if (hasPort) console.error(hintFor(message.uri));
  });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => store.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    store.once("error", reject);
    store.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}
