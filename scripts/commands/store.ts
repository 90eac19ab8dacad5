import "server-only";
import { type ChildProcess, fork } from "node:child_process";
import { constants } from "node:os";
import { parseArgs } from "node:util";
import { env } from "@/lib/platform/env";
import { childEntry } from "@/lib/platform/process/entries";
import { absolutePath, ensureSocketFolder } from "@/lib/platform/process/paths";
import { storeSocketPath } from "@/lib/platform/process/store-uri";
import { CommandError } from "./command-error";

/**
 * Runs `npm run store [-- --port <n>]`: the embedded store alone, until it is stopped. It prints its address.
 * @param printHint prints the lines that are not an address
 * @returns the exit code
 * @throws CommandError
 */
export async function storeCommand(
  args: string[],
  print: (line: string) => void,
  printHint: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): Promise<number> {
  const { values } = parseArgs({ args, options: { port: { type: "string" } }, strict: true });
  const { port } = values;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
    throw new CommandError("--port must be a port number, or 0 for a free one.");
  }
  const { DATA_DIR, STORE_DURABILITY } = env();
  ensureSocketFolder();
  const place = port === undefined ? ["--socket", storeSocketPath(DATA_DIR)] : ["--port", port];
  const store = fork(
    childEntry("store"),
    ["--data", absolutePath(DATA_DIR), ...place, "--durability", STORE_DURABILITY],
    {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    },
  );
  store.on("message", (message: { type?: string; uri?: string; message?: string } | null) => {
    if (message?.type === "notice") printHint(String(message.message));
    if (message?.type !== "ready") return;
    print(String(message.uri));
    if (port !== undefined) printHint(hintFor(String(message.uri)));
  });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => store.kill("SIGTERM"));
  return endOf(store);
}

function hintFor(uri: string): string {
  return uri.includes("$STORE_PASSWORD")
    ? "Replace $STORE_PASSWORD with the password. If you lose it, start with a new STORE_PASSWORD."
    : "The password in the URL is shown once. Save it, or set STORE_PASSWORD.";
}

function endOf(store: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    store.once("error", reject);
    store.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
