import "server-only";
import type { ClientHttp2Stream } from "node:http2";
import { pipeline } from "node:stream/promises";
import { BadFrame, CONTROL, fileFrame, readFrames, toFrame } from "@/lib/platform/embedded/sandbox/wire";
import { AppError } from "@/lib/platform/http/errors";
import { QueueFullError, Semaphore } from "@/lib/platform/process/semaphore";
import { serverMember } from "@/lib/platform/process/server-context";
import type { BuildProblem } from "../../frame/messages";
import {
  BUILD_MS_MAX,
  BUILDS_AT_ONCE,
  BUILDS_WAITING_MAX,
  LINE_CHARS_MAX,
  OUTPUT_BYTES_MAX,
  OUTPUT_FILES_MAX,
} from "../limits";
import { installPackages } from "../packages/install";
import { PackageProblem } from "../packages/lock";
import type { AppFiles, BuildResult, Sandbox } from "../sandbox";
import { carriedFolder } from "./carried";
import { SandboxChild, SandboxEnded } from "./child";
import { type SandboxCommand, sandboxCommand, sandboxEnvironment } from "./confinement";

const MIB = 1024 * 1024;
const RETRY_AFTER_SECONDS = 30;

type Input = Parameters<Sandbox["build"]>[0];

/** Runs a build in a separate sandbox, which ends with the build. */
export async function runBuild({ files, onLog, signal }: Input): Promise<BuildResult> {
  const leave = await place(signal);
  try {
    const packages = await installPackages(files, signal);
    const command = sandboxCommand("build", await carriedFolder());
    return await buildWith(command, { files, packages, onLog, signal });
  } catch (error) {
    if (!(error instanceof PackageProblem)) throw error;
    const { path, message } = error;
    onLog(`${path}: ${message}`);
    return { ok: false, problems: [{ path, line: null, column: null, message }], log: `${path}: ${message}` };
  } finally {
    leave();
  }
}

/** Runs a build as `runBuild` does, with the given command. */
export async function buildWith(
  command: SandboxCommand,
  { files, packages, onLog, signal }: Pick<Input, "files" | "onLog" | "signal"> & { packages: AppFiles | null },
): Promise<BuildResult> {
  const lines: string[] = [];
  const say = (line: string) => {
    lines.push(line);
    onLog(line);
  };
  const limit = AbortSignal.timeout(BUILD_MS_MAX);
  const child = new SandboxChild({
    ...command,
    env: sandboxEnvironment("build"),
    onLine: say,
    signal: AbortSignal.any([signal, limit]),
  });
  try {
    const stream = child.request({ ":method": "POST", ":path": CONTROL.build }, true);
    const [answer] = await Promise.all([
      read(stream, (line) => {
        child.count(line.length);
        say(line.slice(0, LINE_CHARS_MAX));
      }),
      pipeline(framesOf(files, packages), stream, { end: true }),
    ]);
    const log = lines.join("\n");
    return answer.problems.length > 0
      ? { ok: false, problems: answer.problems, log }
      : { ok: true, files: answer.files, log };
  } catch (error) {
    if (error instanceof SandboxEnded) return failed(error.message, lines);
    child.end(error instanceof BadFrame ? error : null);
    const failure = await child.failure();
    if (signal.aborted) throw signal.reason;
    if (limit.aborted) return failed(`The build exceeded ${BUILD_MS_MAX / 60_000} minutes and was stopped.`, lines);
    if (failure instanceof SandboxEnded) return failed(failure.message, lines);
    return failed("The builder crashed. See the log.", [...lines, wordsOf(failure)]);
  } finally {
    child.end(null);
    await child.ended;
  }
}

const builds = serverMember("appBuilds", () => new Semaphore(BUILDS_AT_ONCE, BUILDS_WAITING_MAX));

async function place(signal: AbortSignal): Promise<() => void> {
  try {
    return await builds().acquire(signal);
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw new AppError("unavailable", "Too many builds are waiting. Try again in a moment.", {
      cause: error,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}

/** Yields one file at a time: sending a whole app at once would double its memory. */
export function* framesOf(files: AppFiles, packages: AppFiles | null): Generator<Buffer> {
  for (const [path, content] of packages ?? []) yield* fileFrame(path, content, "package");
  for (const [path, content] of files) yield* fileFrame(path, content);
  yield* toFrame({ type: "end" });
}

async function read(
  stream: ClientHttp2Stream,
  onLog: (line: string) => void,
): Promise<{ files: AppFiles; problems: BuildProblem[] }> {
  const files = new Map<string, Buffer>();
  const problems: BuildProblem[] = [];
  let bytes = 0;
  for await (const { head, body } of readFrames(stream, Number.POSITIVE_INFINITY)) {
    if (head.type === "log") onLog(head.line);
    else if (head.type === "problem") problems.push(head.problem);
    else if (head.type === "file") {
      files.set(head.path, body);
      bytes += body.length;
      if (files.size > OUTPUT_FILES_MAX)
        throw new SandboxEnded(`The build produces more than ${OUTPUT_FILES_MAX} files.`);
      if (bytes > OUTPUT_BYTES_MAX)
        throw new SandboxEnded(`The build produces more than ${OUTPUT_BYTES_MAX / MIB} MiB.`);
    }
  }
  return { files, problems };
}

function failed(message: string, lines: readonly string[]): BuildResult {
  return { ok: false, problems: [{ path: null, line: null, column: null, message }], log: lines.join("\n") };
}

function wordsOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
