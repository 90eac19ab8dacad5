import { createServer } from "node:http";
import { ensureService } from "../service.ts";
import { installShutdown, isShuttingDown, onShutdown } from "../shutdown.ts";

/**
 * A web server for tests of the shutdown, with a stream, a slow answer and a child service.
 * Arguments: program of the child, its data folder, its socket. Sends `{port, childPid}` once it listens.
 */
const SLOW_MS = 600;
const [entry = "", dataDir = "", socketPath = ""] = process.argv.slice(2);

const server = createServer((request, response) => {
  if (request.url === "/health") {
    response.statusCode = isShuttingDown() ? 503 : 200;
    response.end();
  } else if (request.url === "/quick") {
    response.end("done");
  } else if (request.url === "/slow") {
    setTimeout(() => response.end("done"), SLOW_MS);
  } else {
    response.write("event: hello\n\n");
    const forget = onShutdown(() => {
      response.end("event: closing\n\n");
    });
    response.once("close", forget);
  }
});
server.listen(0, "127.0.0.1", async () => {
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  installShutdown({ port });
  const service = ensureService({ name: "stand-in", entry, args: [dataDir, socketPath], socketPath });
  await service.whenUp(10_000);
  process.send?.({ port, childPid: service.childPid() });
});
