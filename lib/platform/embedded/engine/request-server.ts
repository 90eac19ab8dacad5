import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { StatementFailure } from "./failures.ts";
import { REQUEST_BYTES_MAX } from "./limits.ts";
import { type EngineRequest, encodeFrame, FrameReader, parseRequest, sendFrame } from "./wire.ts";

const OWNER_ONLY = 0o600;
const HELLO = encodeFrame({ type: "hello" }, 64);

/**
 * Handles a request and sends all of the answer except its last frame.
 * @param left aborted when the client disconnects
 * @returns the last frame of the answer
 */
export type Answer = (request: EngineRequest, socket: Socket, left: AbortController) => Promise<Buffer>;

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
  let current: AbortController | null = null;
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
      // The protocol allows one request at a time, so a second one is not from our client.
      if (current) {
        socket.destroy();
        return;
      }
      const left = new AbortController();
      current = left;
      answer(request, socket, left)
        .then((last) => {
          // Reset before the last frame is sent: the client may send its next request as soon as it has that frame.
          current = null;
          return sendFrame(socket, last);
        })
        .catch(() => socket.destroy());
    }
  });
}
