import { text } from "node:stream/consumers";
import { lowerPriority } from "../../process/lower-priority.ts";
import { MESSAGE_BYTES_MAX, PROGRESS_MS } from "./limits.ts";
import type { ImportJob, ImportMessage } from "./messages.ts";
import { Unreadable } from "./scan.ts";
import { stageFile } from "./stage.ts";

/**
 * Reads one uploaded file as a child process: `--folder <path>` has the upload, the standard input the job. The last
 * line of the standard output is its result.
 */
async function main(): Promise<void> {
  lowerPriority({ isWorker: false });
  const folder = process.argv[process.argv.indexOf("--folder") + 1];
  if (!folder) throw new Error("The import needs --folder.");
  process.chdir(folder);
  const job = JSON.parse(await text(process.stdin)) as ImportJob;
  let sentAt = 0;
  const send = (message: ImportMessage) => {
    const now = performance.now();
    if (message.type === "progress" && message.stage === "read" && now - sentAt < PROGRESS_MS) return;
    sentAt = now;
    const line = JSON.stringify(message);
    if (Buffer.byteLength(line) > MESSAGE_BYTES_MAX)
      throw new Unreadable("The file's columns have names and types of more than 4 MiB. Split the file.");
    process.stdout.write(`${line}\n`);
  };
  try {
    send({ type: "done", staged: await stageFile(job, send) });
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    send({ type: "refused", message: error.message });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
