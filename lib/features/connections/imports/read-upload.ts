import "server-only";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { MESSAGE_BYTES_MAX } from "@/lib/platform/embedded/import/limits";
import { type ImportJob, type ImportMessage, SOURCE_FILE } from "@/lib/platform/embedded/import/messages";
import { engineSandbox } from "@/lib/platform/engines/sandbox";
import { env } from "@/lib/platform/env";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { childEntry } from "@/lib/platform/process/entries";
import { withLimits } from "@/lib/platform/process/limited";
import { QueueFullError, Semaphore } from "@/lib/platform/process/semaphore";
import { serverMember } from "@/lib/platform/process/server-context";
import { type ImportPreview, importPreview } from "./schema";

/** Files that a server reads at once: each takes two cores and some 400 MB. */
const READERS_MAX = 2;
const QUEUE_MAX = 50;
/** Maximum time of reading a file, in ms: 1 GiB takes a minute, and a machine may be slow. */
const READ_TIMEOUT_MS = 15 * 60_000;
/** Heap of the reader's JavaScript, in MiB: shared texts of workbooks need most of it. */
const HEAP_MIB = 1024;
/**
 * Data limit of the reader, in MiB: the heap, a workbook of 100 MiB with 200 MiB of shared texts, 80 MB of stacks, and
 * three blocks of 256 KiB for each of 5,000 columns, which DuckDB reserves but hardly fills.
 */
const DATA_MIB = 5120;
/** Last words of a child that had not enough memory. */
const NO_MEMORY = /out of memory|bad allocation|bad_alloc|allocation failed/i;
const LAST_WORDS_CHARS = 2000;
/** Packages of the reader, with those that they need. */
const PACKAGES = ["hucre", "apache-arrow", "flatbuffers", "tslib"];

const importReaders = serverMember("importReaders", () => new Semaphore(READERS_MAX, QUEUE_MAX));

type Progress = Extract<ImportMessage, { type: "progress" }>;

/**
 * Reads an upload in a child process without a network, which sees its folder only.
 * @param folder absolute path of the upload's folder
 * @throws AppError `invalid_request` with what to change, `rate_limited`, `timeout`
 */
export async function readUpload(
  folder: string,
  job: ImportJob,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: Progress) => void },
): Promise<ImportPreview> {
  let leave: () => void;
  try {
    leave = await importReaders().acquire(signal);
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw new AppError("rate_limited", "Too many files are being read. Try again in a minute.", {
      retryAfterSeconds: 60,
    });
  }
  const timeout = AbortSignal.timeout(READ_TIMEOUT_MS);
  try {
    const last = await runReader(folder, job, AbortSignal.any([signal, timeout]), onProgress);
    if (last?.type === "refused") throw invalidInput("settings", last.message);
    const staged = last?.type === "done" ? importPreview.safeParse(last.staged) : null;
    if (staged?.success) return staged.data;
    throw unreadable();
  } catch (error) {
    if (timeout.aborted) throw new AppError("timeout", "The file took too long to read. Split it.", { cause: error });
    throw error;
  } finally {
    leave();
  }
}

/** Runs the child and returns its last message. Aborting kills it. */
async function runReader(
  folder: string,
  job: ImportJob,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<ImportMessage | undefined> {
  const args = [childEntry("import"), "--folder", folder];
  const wrap = engineSandbox({ filePath: join(folder, SOURCE_FILE), readOnly: "nothing", packages: PACKAGES });
  const confined = wrap ? wrap(process.execPath, args) : { command: process.execPath, args };
  const limits = { dataMib: DATA_MIB, fileBytes: job.stagedBytesMax };
  const limited = withLimits([confined.command, ...confined.args], limits);
  const child = spawn(limited.command, limited.args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { NODE_ENV: env().NODE_ENV, NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` },
  });
  const kill = () => {
    child.kill("SIGKILL");
    // A sandbox that is killed while it starts may leave a process behind, which keeps the pipe open.
    child.stdout.destroy();
  };
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  let lastWords = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    lastWords = (lastWords + text).slice(-LAST_WORDS_CHARS);
  });
  const ended = once(child, "close");
  // A child that died early does not take its job.
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(job));
  let last: ImportMessage | undefined;
  try {
    for await (const line of linesOf(child.stdout)) {
      last = JSON.parse(line) as ImportMessage;
      if (last.type === "progress") onProgress(last);
    }
    const [code] = (await ended) as [number | null];
    signal.throwIfAborted();
    if (code === 0) return last;
    log.warn({ code, stderr: lastWords.trim() }, "an uploaded file could not be read");
    return NO_MEMORY.test(lastWords)
      ? { type: "refused", message: "The file takes too much memory to read. Split it." }
      : undefined;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
  }
}

/** Reads the lines of a child, which may send anything. @throws AppError `invalid_request` for a long line */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let pending = "";
  for await (const piece of stream.setEncoding("utf8") as AsyncIterable<string>) {
    const lines = (pending + piece).split("\n");
    pending = lines.pop() ?? "";
    if (pending.length > MESSAGE_BYTES_MAX) throw unreadable();
    yield* lines;
  }
}

function unreadable(): AppError {
  return new AppError("invalid_request", "Couldn't read the file. Check its format and settings.");
}
