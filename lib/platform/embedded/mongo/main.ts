import { parseArgs } from "node:util";
import { startStore } from "./server.ts";

/**
 * Runs the store as a separate process:
 * `main.ts --data <dir> (--socket <path> | --port <n>) [--durability normal|full]`. On a port, clients need
 * the password: STORE_PASSWORD, or one that the first start creates and prints in the URI. When it is ready, it prints
 * its URI and sends `{type: "ready", uri}` to a parent that forked it. It ends on SIGTERM, on SIGINT, and when the
 * parent exits.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      socket: { type: "string" },
      port: { type: "string" },
      durability: { type: "string", default: "normal" },
      "max-bytes": { type: "string" },
    },
  });
  if (values.data === undefined) throw new Error("Name the data directory: --data <dir>.");
  if (values.durability !== "normal" && values.durability !== "full")
    throw new Error("--durability is normal or full.");
  const port = values.port === undefined ? undefined : toNumber("--port", values.port);
  const maxBytes = values["max-bytes"] === undefined ? undefined : toNumber("--max-bytes", values["max-bytes"]);
  // Only the owner may read the store's files, regardless of the umask of the starting shell.
  process.umask(0o077);
  // Registered first, because the parent may exit before the store has started.
  const stopAsked = new Promise<void>((resolve) => {
    for (const event of ["SIGTERM", "SIGINT", "disconnect"]) process.on(event, () => resolve());
  });
  const password = process.env.STORE_PASSWORD;
  const running = await startStore({
    dataDir: values.data,
    durability: values.durability,
    ...(password === undefined || password === "" ? {} : { password }),
    ...(values.socket === undefined ? {} : { socketPath: values.socket }),
    ...(port === undefined ? {} : { port }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  // A closed reader or parent is not a failure: the store ends by the events above.
  process.stdout.on("error", () => {});
  process.stdout.write(`${running.shownUri}\n`);
  const { notice } = running.services.store;
  if (notice !== null) {
    // A parent forwards the store's output only after it is ready, so the notice is sent as a message.
    if (process.send) process.send({ type: "notice", message: notice }, undefined, undefined, () => {});
    else process.stderr.write(`${notice}\n`);
  }
  process.send?.({ type: "ready", uri: running.shownUri }, undefined, undefined, () => {});
  await stopAsked;
  await running.close();
  process.exit(0);
}

function toNumber(name: string, text: string): number {
  const n = Number(text);
  if (!Number.isSafeInteger(n) || n < 0) throw new Error(`${name} has to be a whole number.`);
  return n;
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

main().catch(fail);
