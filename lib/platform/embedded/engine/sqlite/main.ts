import { parseArgs } from "node:util";
import { lowerPriority } from "../../../process/lower-priority.ts";
import { announceReady, endWithParent, runChild } from "../child.ts";
import { runRunner } from "./runner.ts";
import { serveSqlite } from "./server.ts";

/**
 * Runs the engine of one SQLite file as a child process: `--file <path> --socket <path>`. It sends `{type:"ready"}`
 * over IPC once it listens, and ends with its parent. `--runner --file <path> [--read-only] [--manual]` starts one of the
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
      manual: { type: "boolean", default: false },
    },
  });
  if (values.file && values.runner) {
    runRunner(values.file, values["read-only"], values.manual);
    return;
  }
  if (!values.file || !values.socket) throw new Error("The engine needs --file and --socket.");
  endWithParent();
  const stopRunners = await serveSqlite(values.file, values.socket);
  announceReady(() => {
    stopRunners();
    process.exit(0);
  });
}

runChild(main);
