import "server-only";
import { rmSync } from "node:fs";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type DrawAnswer,
  type DrawRequest,
  FILE_BYTES_MAX,
  PAGE_BYTES_MAX,
  PART_BYTES_MAX,
  type PicturePage,
  toFrame,
} from "@/lib/embedded/drawing/messages";
import { FrameReader, sendFrame } from "@/lib/embedded/engine/wire";
import { AppError } from "@/lib/http/errors";
import { log } from "@/lib/log";
import { childEntry } from "@/lib/process/entries";
import { ensureSocketFolder, socketPathFor } from "@/lib/process/paths";
import { connectIfLive } from "@/lib/process/probe";
import { QueueFullError, Semaphore } from "@/lib/process/semaphore";
import { ensureService, type Service, ServiceDown } from "@/lib/process/service";
import { sharedState } from "@/lib/process/shared-state";
import { DRAWING_HEAP_MIB, drawingSandbox } from "./sandbox";

/**
 * A full page takes two to three seconds, and ten times that on a busy machine. A specification that takes longer is never
 * looked at.
 */
const TIMEOUT_MS = 60_000;
/** The process loads its libraries in two seconds. After a crash the restart waits up to 5 s. */
const START_TIMEOUT_MS = 30_000;
/** Between two attempts to reach a process that has just ended. */
const RECONNECT_AFTER_MS = 50;
/** Each page of the queue is held in memory. */
const WAITING_MAX = 50;
const RETRY_AFTER_SECONDS = 60;

/** `undrawn` counts the parts in whose place words stand. */
export type Picture = { png: Buffer; pdf: Buffer | null; undrawn: number };

class DrawingEnded extends Error {}

/**
 * Draws a page as PNG, one page after another, in a child process with limits on memory and time.
 * @param withPdf whether to draw the page as PDF as well
 * @param timeoutMs limit for the page itself; waiting for other pages does not count
 * @throws AppError `too_large` for a page that takes too much time or memory; `unavailable` when the process cannot start or
 *   too many pages wait
 */
export async function drawPage(page: PicturePage, withPdf = false, timeoutMs = TIMEOUT_MS): Promise<Picture> {
  const leave = await takePlace();
  try {
    return await draw(page, withPdf, timeoutMs);
  } finally {
    leave();
  }
}

/** Returns the id of the process that draws; null while there is none. */
export function drawingPid(): number | null {
  return drawingService().childPid();
}

async function takePlace(): Promise<() => void> {
  try {
    return await sharedState("drawing-queue", () => new Semaphore(1, WAITING_MAX)).acquire();
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw unavailable("Too many pictures are waiting. Try again in a minute.", error);
  }
}

async function draw({ parts, ...page }: PicturePage, withPdf: boolean, timeoutMs: number): Promise<Picture> {
  const service = drawingService();
  const socket = await connectTo(service);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    kill(service);
    socket.destroy();
  }, timeoutMs);
  try {
    const answered = readAnswer(socket);
    // The failure of sending is the same as that of the answer.
    answered.catch(() => {});
    await send(socket, { ...page, partCount: parts.length, withPdf });
    let bytes = 0;
    for (const part of parts) {
      // A frame each: the text of a whole page would hold up everybody else for a part of a second.
      bytes += await send(socket, part);
      if (bytes > PAGE_BYTES_MAX) throw tooLarge(new Error(`A page of more than ${PAGE_BYTES_MAX} bytes.`));
    }
    return await answered;
  } catch (error) {
    if (!(error instanceof DrawingEnded)) throw error;
    log.warn({ err: error, isLate }, "a page ended the process that draws it");
    throw tooLarge(error);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** @returns the size of the message in bytes */
async function send(socket: Socket, message: DrawRequest | PicturePage["parts"][number]): Promise<number> {
  const bytes = Buffer.from(JSON.stringify(message));
  if (bytes.length > PART_BYTES_MAX) throw tooLarge(new Error(`A part of ${bytes.length} bytes.`));
  await sendFrame(socket, toFrame(bytes)).catch((cause: unknown) => {
    throw new DrawingEnded("The process ended while the page was sent.", { cause });
  });
  return bytes.length;
}

async function readAnswer(socket: Socket): Promise<Picture> {
  const frames = new FrameReader<Buffer>(FILE_BYTES_MAX, (bytes) => Buffer.from(bytes));
  const received: Buffer[] = [];
  let head: DrawAnswer | null = null;
  try {
    for await (const chunk of socket) {
      received.push(...frames.push(chunk as Buffer));
      const [, text, png, pdf] = received;
      if (!text) continue;
      head ??= JSON.parse(text.toString("utf8")) as DrawAnswer;
      if ("error" in head) break;
      if (png && (pdf || !head.hasPdf)) return { png, pdf: pdf ?? null, undrawn: head.undrawn };
    }
  } catch (error) {
    throw new DrawingEnded("The connection to the process broke.", { cause: error });
  }
  throw new DrawingEnded(head !== null && "error" in head ? head.error : "The process ended before its answer.");
}

async function connectTo(service: Service): Promise<Socket> {
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  try {
    for (;;) {
      await service.whenUp(START_TIMEOUT_MS);
      const socket = await connectIfLive(service.socketPath);
      if (socket && (await isGreeted(socket))) return socket;
      if (performance.now() > giveUpAt) throw new ServiceDown("drawing process", "its socket does not answer");
      // It has just ended, which its supervisor learns of in a moment.
      await sleep(RECONNECT_AFTER_MS);
    }
  } catch (error) {
    if (!(error instanceof ServiceDown)) throw error;
    throw unavailable("Pictures cannot be drawn right now. Try again in a minute.", error);
  }
}

/** Tells whether the process took the connection. The kernel also takes those to a process that is ending. */
async function isGreeted(socket: Socket): Promise<boolean> {
  const greeted = new Promise<boolean>((resolve) => {
    socket.once("readable", () => resolve(socket.readableLength > 0));
    socket.once("close", () => resolve(false));
  });
  return greeted;
}

function drawingService(): Service {
  return sharedState("drawing-service", () => {
    // Of this process alone: another server's page never ends this one's.
    const folder = join(dirname(socketPathFor(process.cwd())), `drawing-${process.pid}`);
    ensureSocketFolder();
    ensureSocketFolder(folder);
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    const socketPath = join(folder, "drawing.sock");
    return {
      service: ensureService({
        name: "drawing process",
        entry: childEntry("drawing"),
        args: ["--socket", socketPath],
        socketPath,
        restart: "on-demand",
        env: { NODE_OPTIONS: `--max-old-space-size=${DRAWING_HEAP_MIB}` },
        wrap: drawingSandbox(folder),
      }),
    };
  }).service;
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

function tooLarge(cause: unknown): AppError {
  return new AppError(
    "too_large",
    "The picture takes too much memory or time to draw. Simplify the charts that have a specification of their own.",
    { cause },
  );
}

function unavailable(message: string, cause: unknown): AppError {
  return new AppError("unavailable", message, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
