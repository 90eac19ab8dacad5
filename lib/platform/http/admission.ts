import type { RequestListener, Server } from "node:http";
import { PacedLine } from "../process/paced-line.ts";
import { hasDirectAnswer } from "./direct.ts";
import { hasPrecompressedAnswer, type Precompressed } from "./precompressed.ts";

/** What tells a balancer whether this server lives must not wait behind what floods it. */
const URGENT_PATHS: ReadonlySet<string | undefined> = new Set(["/api/health"]);
/** Beginning a request takes the framework 1 to 3 ms. */
const TURN_MS = 10;

/**
 * Paces the requests that a server begins, so that five hundred that arrive at once are not begun in one turn of the
 * event loop (F15); those that ask for its health come first. Call it when the server has its listener, before it listens.
 * @param files what is answered without the listener
 */
export function paceRequests(server: Server, files: Precompressed): void {
  const listeners = server.listeners("request") as RequestListener[];
  const line = new PacedLine(TURN_MS);
  server.removeAllListeners("request");
  // A turn takes in one connection: while five hundred knock, one that asks for the health would wait for 500 turns.
  server.on("connection", () => line.rest());
  server.on("request", (request, response) => {
    const begin = () => {
      // Whoever has left by now waits for no answer.
      if (response.destroyed) return;
      if (hasPrecompressedAnswer(files, request, response) || hasDirectAnswer(request, response)) return;
      for (const listener of listeners) listener.call(server, request, response);
    };
    line.enter(begin, { isUrgent: URGENT_PATHS.has(request.url) });
  });
}
