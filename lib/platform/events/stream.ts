import "server-only";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";
import { onShutdown } from "@/lib/platform/process/shutdown";
import { type Reader, teller } from "./event-feed";
import { HEARTBEAT_SECONDS } from "./limits";
import type { EventDoc } from "./model";

/**
 * Interval of heartbeats, in ms: they keep proxies from ending a silent stream, and check whether the reader still has
 * access.
 */
const HEARTBEAT_MS = HEARTBEAT_SECONDS * 1000;
/** Delay before a browser reconnects. */
const RETRY_MS = 2000;
/** Maximum buffer for a slow reader, in bytes. Beyond it the stream ends, and the reader resumes from its position. */
const BUFFER_BYTES_MAX = 1024 * 1024;
/** Tells the reader that events are missing, so that it reads everything again. */
const RESET = "event: reset\ndata: {}\n\n";
const ENDED = "Your access has ended. Sign in again.";
/** Maximum number of streams per user and server: tabs of a browser share one, so this is many machines. */
const STREAMS_OF_ONE_MAX = 30;

export type StreamRequest = {
  workspaceId: ObjectId;
  userId: ObjectId;
  /** The Last-Event-ID header; null for a new reader. */
  lastEventId: string | null;
  /** Sends heartbeats as events: browsers do not expose comments. */
  hasHeartbeat: boolean;
  /** Checked periodically: an expired session or membership ends the stream. */
  mayStillRead: () => Promise<boolean>;
  signal: AbortSignal;
};

/**
 * Streams the workspace's changes as Server-Sent Events, after the last one that the reader received. @throws AppError
 * `rate_limited` for a user with too many streams
 */
export function streamEvents(request: StreamRequest): Response {
  const leave = enter(request.userId);
  const encoder = new TextEncoder();
  let end = (_: string | null) => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (text: string) => {
          controller.enqueue(encoder.encode(text));
          if ((controller.desiredSize ?? 0) <= 0) end(null);
        };
        end = follow(request, write, () => {
          leave();
          // It may be closed or broken already.
          try {
            controller.close();
          } catch {}
        });
      },
      cancel: () => end(null),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES_MAX }),
  );
  return new Response(body, {
    headers: {
      "Content-Type": "text/event-stream; charset=utf-8",
      // Buffering proxies would delay events.
      "Cache-Control": "no-store, no-transform",
      "X-Accel-Buffering": "no",
    },
  });
}

/** @returns a function that ends the stream, with a last event or without */
function follow(
  { workspaceId, userId, lastEventId, hasHeartbeat, mayStillRead, signal }: StreamRequest,
  write: (text: string) => void,
  close: () => void,
): (lastWord: string | null) => void {
  let isOver = false;
  const reader: Reader = {
    // An id without data is not an event, and is the position that the browser reconnects with.
    begin: (position) => write(`id: ${position}\n\n`),
    miss: (position) => {
      if (!isOver) write(`id: ${position}\n${RESET}`);
    },
    take(events) {
      const own = events.filter((event) => event.userId === null || event.userId.equals(userId));
      if (!isOver && own.length > 0) write(own.map(frameOf).join(""));
    },
  };
  const end = (lastWord: string | null) => {
    if (isOver) return;
    if (lastWord !== null) write(lastWord);
    isOver = true;
    clearInterval(heartbeat);
    forget();
    teller().leave(workspaceId, reader);
    signal.removeEventListener("abort", onAbort);
    close();
  };
  const onAbort = () => {
    const { reason } = signal;
    const isLost = reason instanceof AppError && reason.kind === "unauthenticated";
    end(isLost ? goodbye(reason.kind, ENDED) : null);
  };
  const heartbeat = setInterval(async () => {
    try {
      const mayRead = await mayStillRead();
      if (isOver) return;
      if (mayRead) write(hasHeartbeat ? heartbeatFrame() : ": still here\n\n");
      else end(goodbye("unauthenticated", ENDED));
    } catch (error) {
      // An unreachable database ends no stream; the next heartbeat asks again.
      log.debug({ err: error }, "failed to check the access of an event stream");
    }
  }, HEARTBEAT_MS);
  const forget = onShutdown(() => end(goodbye("unavailable", "The server is stopping. Reconnect in a moment.")));
  signal.addEventListener("abort", onAbort, { once: true });
  write(`retry: ${RETRY_MS}\n\n`);
  void join(workspaceId, reader, lastEventId, write)
    .then(() => {
      if (isOver) teller().leave(workspaceId, reader);
    })
    .catch((error: unknown) => {
      log.warn({ err: error }, "failed to start an event stream");
      end(goodbye("unavailable", "Live updates are unavailable. Reconnect in a moment."));
    });
  return end;
}

async function join(
  workspaceId: ObjectId,
  reader: Reader,
  lastEventId: string | null,
  write: (text: string) => void,
): Promise<void> {
  if (lastEventId !== null) {
    const position = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    if (position !== null && (await teller().join(workspaceId, reader, position))) return;
    write(RESET);
  }
  await teller().join(workspaceId, reader, null);
}

function frameOf({ position, kind, data }: EventDoc): string {
  return `id: ${position}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Returns a heartbeat without an id: it is not a change to resume after. */
function heartbeatFrame(): string {
  return `event: heartbeat\ndata: ${JSON.stringify({ at: new Date().toISOString() })}\n\n`;
}

function goodbye(code: string, message: string): string {
  return `event: error\ndata: ${JSON.stringify({ code, message })}\n\n`;
}

/** Returns how many streams are open on this server. */
export function openStreams(): number {
  return [...streamCounts().values()].reduce((sum, count) => sum + count, 0);
}

const streamCounts = serverMember("eventStreams", () => new Map<string, number>());

/** @returns a function that releases the slot */
function enter(userId: ObjectId): () => void {
  const counts = streamCounts();
  const key = userId.toHexString();
  const count = counts.get(key) ?? 0;
  if (count >= STREAMS_OF_ONE_MAX) {
    throw new AppError("rate_limited", "Too many open connections to this workspace. Close some tabs.", {
      retryAfterSeconds: HEARTBEAT_MS / 1000,
    });
  }
  counts.set(key, count + 1);
  let isGiven = false;
  return () => {
    if (isGiven) return;
    isGiven = true;
    const left = (counts.get(key) ?? 1) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  };
}
