import { parseArgs } from "node:util";
import { startStore } from "./server.ts";

/**
 * The store as a process of its own: `main.ts --data <dir> (--socket <path> | --port <n>) [--durability normal|full]`.
 * On a port clients need the password: STORE_PASSWORD, or one that is made at the first start and printed in the URI
 * then. When it is ready it prints its URI, and tells a parent that forked it `{type: "ready", uri}`. It ends on SIGTERM,
 * SIGINT, and when the parent goes.
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
  // What the store writes is its owner's alone, whatever the shell that started it says.
  process.umask(0o077);
  // Listened for from the beginning: whoever started it may go before it is up.
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
  // A reader or a parent that has gone is no failure: the store ends by the events above.
  process.stdout.on("error", () => {});
  process.stdout.write(`${running.shownUri}\n`);
  const { notice } = running.services.store;
  if (notice !== null) {
    // A parent passes on what the store writes from its readiness on only.
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
