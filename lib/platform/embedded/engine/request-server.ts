import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { StatementFailure } from "./failures.ts";
import { REQUEST_BYTES_MAX } from "./limits.ts";
import { type EngineRequest, encodeFrame, FrameReader, parseRequest, sendFrame } from "./wire.ts";

const OWNER_ONLY = 0o600;
const HELLO = encodeFrame({ type: "hello" }, 64);

/** Requests that are answered. */
export type Answerable = Exclude<EngineRequest, { type: "stop" }>;

/** A running request. It aborts when the client disconnects or cancels. */
export class Asked extends AbortController {
  readonly #enough = new AbortController();

  /** Aborts when the client has enough rows. */
  get enough(): AbortSignal {
    return this.#enough.signal;
  }

  stop(isCancel: boolean): void {
    if (isCancel) this.abort(new StatementFailure("cancelled", "The query was cancelled."));
    else this.#enough.abort();
  }
}

/**
 * Handles a request and sends all of the answer except its last frame.
 * @returns the last frame of the answer
 */
export type Answer = (request: Answerable, socket: Socket, asked: Asked) => Promise<Buffer>;

/** Listens for the processes of this user. A socket carries one request at a time; see wire.ts. */
export async function serveRequests(socketPath: string, answer: Answer): Promise<Server> {
  const server = createServer((socket) => serveSocket(socket, answer));
  // The holder of the file's lock is the only engine of this file, so an existing socket is stale.
  rmSync(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socketPath, resolve);
  });
  chmodSync(socketPath, OWNER_ONLY);
  return server;
}

function serveSocket(socket: Socket, answer: Answer): void {
  const frames = new FrameReader<EngineRequest>(REQUEST_BYTES_MAX, parseRequest);
  let current: Asked | null = null;
  const leave = () => current?.abort(new StatementFailure("cancelled", "The client disconnected."));
  socket.on("error", () => socket.destroy());
  socket.on("end", leave);
  socket.on("close", leave);
  socket.write(HELLO);
  socket.on("data", (chunk) => {
    let requests: EngineRequest[];
    try {
      requests = frames.push(chunk);
    } catch {
      socket.destroy();
      return;
    }
    for (const request of requests) {
      if (request.type === "stop") {
        current?.stop(request.isCancel);
        continue;
      }
      // The protocol allows one request at a time, so a second one is not from our client.
      if (current) {
        socket.destroy();
        return;
      }
      const asked = new Asked();
      current = asked;
      answer(request, socket, asked)
        .then((last) => {
          // Reset before the last frame is sent: the client may send its next request as soon as it has that frame.
          current = null;
          return sendFrame(socket, last);
        })
        .catch(() => socket.destroy());
    }
  });
}
