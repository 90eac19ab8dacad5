import type { RequestListener, Server } from "node:http";
import { RequestPacer } from "../process/request-pacer.ts";
import { hasDirectAnswer } from "./direct.ts";
import { withPageStatus } from "./page-status.ts";
import { hasPrecompressedAnswer, type Precompressed } from "./precompressed.ts";

/** Paths of health checks, which must not wait behind a flood of requests. */
const URGENT_PATHS: ReadonlySet<string | undefined> = new Set(["/api/health"]);
/** Time budget of a turn, in ms: the framework takes 1 to 3 ms to start a request. */
const TURN_MS = 10;

/**
 * Limits how many requests a server starts in one turn of the event loop, so that five hundred that arrive at once are
 * spread (F15); health checks come first. Call it when the server has its listener, before it listens.
 * @param files answered without the listener
 */
export function paceRequests(server: Server, files: Precompressed): void {
  const listeners = server.listeners("request") as RequestListener[];
  const line = new RequestPacer(TURN_MS);
  server.removeAllListeners("request");
  // A turn accepts one connection: during a burst of five hundred, a health check would wait for 500 turns.
  server.on("connection", () => line.rest());
  server.on("request", (request, response) => {
    const begin = () => {
      // A disconnected client needs no answer.
      if (response.destroyed) return;
      if (hasPrecompressedAnswer(files, request, response) || hasDirectAnswer(request, response)) return;
      withPageStatus(request.url, response, () => {
        for (const listener of listeners) listener.call(server, request, response);
      });
    };
    line.enter(begin, { isUrgent: URGENT_PATHS.has(request.url) });
  });
}
