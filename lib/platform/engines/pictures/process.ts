import "server-only";
import { rmSync } from "node:fs";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FRAME_BYTES_MAX, type Head, readJson, toFrame, toJsonBytes } from "@/lib/platform/embedded/drawing/frames";
import { FrameReader, sendFrame } from "@/lib/platform/embedded/engine/wire";
import { AppError } from "@/lib/platform/http/errors";
import { requireProcess } from "@/lib/platform/http/require-process";
import { type ChildName, childEntry } from "@/lib/platform/process/entries";
import { ensureSocketFolder, socketPathFor } from "@/lib/platform/process/paths";
import { connectIfLive } from "@/lib/platform/process/probe";
import { QueueFullError, Semaphore } from "@/lib/platform/process/semaphore";
import { serverMember } from "@/lib/platform/process/server-context";
import { ensureService, type Service, ServiceDown } from "@/lib/platform/process/service";
import { HEAP_MIB, pictureSandbox } from "./sandbox";

/**
 * Maximum time to start, in ms. The process loads its libraries in two seconds. After a crash the restart waits up to 5
 * s.
 */
const START_TIMEOUT_MS = 30_000;
/** Delay between two attempts to reach a process that has just ended, in ms. */
const RECONNECT_AFTER_MS = 50;
/** Maximum queue: each waiting request is in memory. */
const WAITING_MAX = 50;
const RETRY_AFTER_SECONDS = 60;

/** Thrown if the process ended before its answer: it was out of memory or time, or the library failed. */
export class PictureProcessEnded extends Error {}

export type PictureProcess = { service: Service; queue: Semaphore };
type Request = { frames: Iterable<Uint8Array>; frameCount: number; timeoutMs: number };

/**
 * Sends a request to a process that renders pictures, one at a time. Nothing that the request does there can end this
 * process.
 * @param request its frames are read one by one, as the process takes them; time in the queue does not count
 * @throws PictureProcessEnded; AppError `unavailable` if the process cannot start or too many requests wait; errors of
 * the
 *   frames
 */
export async function askPictureProcess(entry: ChildName, request: Request): Promise<Buffer[]> {
  requireProcess("Images of dashboards and apps");
  const { service, queue } = stateOf(entry);
  return queue
    .run(() => ask(service, request))
    .catch((error: unknown) => {
      if (!(error instanceof QueueFullError)) throw error;
      throw unavailable("Too many images are queued. Try again in a minute.", error);
    });
}

/** Returns the id of the process; null while there is none. */
export function pictureProcessPid(entry: ChildName): number | null {
  return stateOf(entry).service.childPid();
}

async function ask(service: Service, { frames, frameCount, timeoutMs }: Request): Promise<Buffer[]> {
  const socket = await connectTo(service);
  const timer = setTimeout(() => {
    kill(service);
    socket.destroy();
  }, timeoutMs);
  try {
    const answered = readAnswer(socket);
    // A failed send rejects with the same error as the answer.
    answered.catch(() => {});
    await send(socket, toJsonBytes({ frameCount } satisfies Head));
    for (const frame of frames) await send(socket, frame);
    return await answered;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

async function send(socket: Socket, frame: Uint8Array): Promise<void> {
  await sendFrame(socket, toFrame(frame)).catch((cause: unknown) => {
    throw new PictureProcessEnded("The process exited while the request was sent.", { cause });
  });
}

async function readAnswer(socket: Socket): Promise<Buffer[]> {
  const reader = new FrameReader<Buffer>(FRAME_BYTES_MAX, (bytes) => Buffer.from(bytes));
  const received: Buffer[] = [];
  let head: Head | null = null;
  try {
    for await (const chunk of socket) {
      received.push(...reader.push(chunk as Buffer));
      const [, first, ...frames] = received;
      if (!first) continue;
      head ??= readJson<Head>(first);
      if ("error" in head) break;
      if (frames.length === head.frameCount) return frames;
    }
  } catch (error) {
    throw new PictureProcessEnded("The connection to the process was lost.", { cause: error });
  }
  throw new PictureProcessEnded(
    head !== null && "error" in head ? head.error : "The process exited before its response.",
  );
}

async function connectTo(service: Service): Promise<Socket> {
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  try {
    for (;;) {
      await service.whenUp(START_TIMEOUT_MS);
      const socket = await connectIfLive(service.socketPath);
      if (socket && (await isGreeted(socket))) return socket;
      if (performance.now() > giveUpAt) throw new ServiceDown("picture process", "its socket does not respond");
      // The process has just ended, and its supervisor will notice soon.
      await sleep(RECONNECT_AFTER_MS);
    }
  } catch (error) {
    if (!(error instanceof ServiceDown)) throw error;
    throw unavailable("Image rendering is unavailable. Try again in a minute.", error);
  }
}

/**
 * Returns whether the process accepted the connection. The kernel also accepts connections to a process that is ending.
 */
function isGreeted(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once("readable", () => resolve(socket.readableLength > 0));
    socket.once("close", () => resolve(false));
  });
}

const processes = serverMember("pictureProcesses", () => new Map());

function stateOf(entry: ChildName): PictureProcess {
  const state = processes().get(entry) ?? start(entry);
  processes().set(entry, state);
  return state;
}

function start(entry: ChildName): PictureProcess {
  // Private to this server: another server's request never ends this one's process.
  const folder = join(dirname(socketPathFor(process.cwd())), `${entry}-${process.pid}`);
  ensureSocketFolder();
  ensureSocketFolder(folder);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const socketPath = join(folder, "picture.sock");
  const service = ensureService({
    name: "picture process",
    entry: childEntry(entry),
    args: ["--socket", socketPath],
    socketPath,
    restart: "on-demand",
    env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` },
    wrap: pictureSandbox(folder),
  });
  return { service, queue: new Semaphore(1, WAITING_MAX) };
}

function kill(service: Service): void {
  const pid = service.childPid();
  if (pid === null) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function unavailable(message: string, cause: unknown): AppError {
  return new AppError("unavailable", message, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
