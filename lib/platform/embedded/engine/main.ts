import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { lowerPriority } from "../../process/lower-priority.ts";
import { buildSample } from "./build-sample.ts";
import { announceReady, endWithParent, runChild } from "./child.ts";
import { openDatabase, openMemory } from "./database.ts";
import { KillSwitch, watchStalls } from "./kill-switch.ts";
import { serve } from "./server.ts";
import { takeTempFolder } from "./temp-folder.ts";

/**
 * Runs the engine of one DuckDB file as a child process:
 * `--file <path> --socket <path> [--read-only] [--trusted] [--own-temp]`. With `--own-temp` it spills
 * into a separate folder, because other engines have the file open too. With `--kept` the database is in memory, and it
 * reads the files beside the named one. It sends `{type:"ready"}` over IPC once it listens, and ends with its
 * parent. `--build-sample <last day> --file <path>` writes the sample shop and ends.
 */
async function main(): Promise<void> {
  lowerPriority({ isWorker: false });
  const { values } = parseArgs({
    options: {
      file: { type: "string" },
      socket: { type: "string" },
      "read-only": { type: "boolean", default: false },
      trusted: { type: "boolean", default: false },
      kept: { type: "boolean", default: false },
      "own-temp": { type: "boolean", default: false },
      "build-sample": { type: "string" },
    },
  });
  if (values.file && values["build-sample"]) {
    await buildSample(values.file, values["build-sample"]);
    return;
  }
  if (!values.file || !values.socket) throw new Error("The engine needs --file and --socket.");
  endWithParent();
  watchStalls();
  const tempFolder = values["own-temp"] ? takeTempFolder(values.file) : null;
  const database = values.kept
    ? await openMemory(values.file)
    : await openDatabase(values.file, {
        readOnlyFile: values["read-only"],
        trusted: values.trusted,
        tempFolder,
      });
  const server = await serve(database, values.socket, new KillSwitch(tempFolder));
  const stop = () => {
    server.close();
    // Closing writes the rest of the log into the file.
    database.close();
    if (tempFolder !== null) rmSync(tempFolder, { recursive: true, force: true });
    process.exit(0);
  };
  announceReady(stop);
}

runChild(main);
