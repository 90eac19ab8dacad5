import { parseArgs } from "node:util";
import { lowerPriority } from "../../../process/lower-priority.ts";
import { runRunner } from "./runner.ts";
import { serveSqlite } from "./server.ts";

/**
 * Runs the engine of one SQLite file as a child process: `--file <path> --socket <path>`. It sends `{type:"ready"}`
 * over IPC once it listens, and ends with its parent. `--runner --file <path> [--read-only]` starts one of the
 * processes in which it runs its statements.
 */
async function main(): Promise<void> {
  lowerPriority({ isWorker: false });
  const { values } = parseArgs({
    options: {
      file: { type: "string" },
      socket: { type: "string" },
      "read-only": { type: "boolean", default: false },
      trusted: { type: "boolean", default: false },
      runner: { type: "boolean", default: false },
    },
  });
  if (values.file && values.runner) {
    runRunner(values.file, values["read-only"]);
    return;
  }
  if (!values.file || !values.socket) throw new Error("The engine needs --file and --socket.");
  const isForked = process.send !== undefined;
  const exit = () => process.exit(0);
  process.on("disconnect", exit);
  // Exits if the parent has left during startup.
  if (isForked && !process.connected) exit();
  const stopRunners = await serveSqlite(values.file, values.socket);
  const stop = () => {
    stopRunners();
    exit();
  };
  process.off("disconnect", exit).on("disconnect", stop);
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  if (process.connected) process.send?.({ type: "ready" });
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  if (process.connected) process.send?.({ type: "failed", message });
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
  if (process.connected) process.disconnect();
});
