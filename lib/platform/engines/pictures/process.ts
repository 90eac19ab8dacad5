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
import { ensureService, type Service, ServiceDown } from "@/lib/platform/process/service";
import { sharedState } from "@/lib/platform/process/shared-state";
import { HEAP_MIB, pictureSandbox } from "./sandbox";

/** The process loads its libraries in two seconds. After a crash the restart waits up to 5 s. */
const START_TIMEOUT_MS = 30_000;
/** Between two attempts to reach a process that has just ended. */
const RECONNECT_AFTER_MS = 50;
/** Each request of the queue is held in memory. */
const WAITING_MAX = 50;
const RETRY_AFTER_SECONDS = 60;

/** The process ended before its answer: it was out of memory or time, or the library failed. */
export class PictureProcessEnded extends Error {}

type State = { service: Service; queue: Semaphore };
type Request = { frames: Iterable<Uint8Array>; frameCount: number; timeoutMs: number };

/**
 * Asks a process that works on pictures, one request after another. Whatever the request does there, this process lives.
 * @param request its frames are read one by one, as the process takes them; waiting for others does not count as time
 * @throws PictureProcessEnded; AppError `unavailable` when the process cannot start or too many requests wait; what the frames
 *   throw
 */
export async function askPictureProcess(entry: ChildName, request: Request): Promise<Buffer[]> {
  requireProcess("Pictures of dashboards and apps");
  const { service, queue } = stateOf(entry);
  const leave = await queue.acquire().catch((error: unknown) => {
    if (!(error instanceof QueueFullError)) throw error;
    throw unavailable("Too many pictures are waiting. Try again in a minute.", error);
  });
  try {
    return await ask(service, request);
  } finally {
    leave();
  }
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
    // The failure of sending is the same as that of the answer.
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
    throw new PictureProcessEnded("The process ended while the request was sent.", { cause });
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
    throw new PictureProcessEnded("The connection to the process broke.", { cause: error });
  }
  throw new PictureProcessEnded(head !== null && "error" in head ? head.error : "The process ended before its answer.");
}

async function connectTo(service: Service): Promise<Socket> {
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  try {
    for (;;) {
      await service.whenUp(START_TIMEOUT_MS);
      const socket = await connectIfLive(service.socketPath);
      if (socket && (await isGreeted(socket))) return socket;
      if (performance.now() > giveUpAt) throw new ServiceDown("picture process", "its socket does not answer");
      // It has just ended, which its supervisor learns of in a moment.
      await sleep(RECONNECT_AFTER_MS);
    }
  } catch (error) {
    if (!(error instanceof ServiceDown)) throw error;
    throw unavailable("Pictures cannot be drawn right now. Try again in a minute.", error);
  }
}

/** Tells whether the process took the connection. The kernel also takes those to a process that is ending. */
function isGreeted(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once("readable", () => resolve(socket.readableLength > 0));
    socket.once("close", () => resolve(false));
  });
}

function stateOf(entry: ChildName): State {
  return sharedState(`picture-process-${entry}`, () => {
    // Of this server alone: another server's request never ends this one's process.
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
  });
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
