import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { limitServers } from "../server-limits.ts";

/**
 * A web server for tests of deadlines and pace: it counts a body, reads one late, streams an event a second, works on its
 * thread, or tells how many such works it has begun.
 */
const LATE_MS = 14_000;
const WORK_MS = 10;
let begun = 0;

limitServers(new Map());
const server = createServer(async (request, response) => {
  if (request.url === "/stream") {
    for (let count = 0; !response.destroyed; count += 1) {
      response.write(`data: event ${count}\n\n`);
      await sleep(1000);
    }
    return;
  }
  if (request.url === "/work") {
    begun += 1;
    for (const until = performance.now() + WORK_MS; performance.now() < until; );
  }
  if (request.url === "/api/health") {
    response.end(`begun ${begun}.`);
    return;
  }
  if (request.url === "/late") await sleep(LATE_MS);
  let bytes = 0;
  try {
    for await (const chunk of request) bytes += chunk.length;
    response.end(`took ${bytes}`);
  } catch {
    // The client was cut.
  }
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" && address ? address.port : 0 });
});
