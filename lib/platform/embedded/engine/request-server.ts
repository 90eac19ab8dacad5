import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { StatementFailure } from "./failures.ts";
import { REQUEST_BYTES_MAX } from "./limits.ts";
import { type EngineRequest, FrameReader, parseRequest, sendFrame } from "./wire.ts";

const OWNER_ONLY = 0o600;

/**
 * Does what a request asks, and sends all of the answer but its last frame.
 * @param left aborted when the client goes
 * @returns the last frame of the answer
 */
export type Answer = (request: EngineRequest, socket: Socket, left: AbortController) => Promise<Buffer>;

/** Listens for the processes of this user. A socket carries one request at a time; see wire.ts. */
export async function serveRequests(socketPath: string, answer: Answer): Promise<Server> {
  const server = createServer((socket) => serveSocket(socket, answer));
  // Whoever holds the file's lock is the only engine of this file, so a socket that is left over is nobody's.
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
  const leave = () => current?.abort(new StatementFailure("cancelled", "The client has left."));
  socket.on("error", () => socket.destroy());
  socket.on("end", leave);
  socket.on("close", leave);
  socket.on("data", (chunk) => {
    let requests: EngineRequest[];
    try {
      requests = frames.push(chunk);
    } catch {
      socket.destroy();
      return;
    }
    for (const request of requests) {
      // One at a time is the protocol: who breaks it is not our client.
      if (current) {
        socket.destroy();
        return;
      }
      const left = new AbortController();
      current = left;
      answer(request, socket, left)
        .then((last) => {
          // Before the last frame leaves: the next request may come as soon as the client has it.
          current = null;
          return sendFrame(socket, last);
        })
        .catch(() => socket.destroy());
    }
  });
}
