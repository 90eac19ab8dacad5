import type { IncomingMessage, ServerResponse } from "node:http";

/** Maximum part of a body that is read and discarded after its answer, in bytes. Far less than a flood. */
const DISCARD_BYTES_MAX = 16 * 1024 * 1024;
const DISCARD_MS_MAX = 5_000;
const LOOK_EVERY_MS = 50;

/** Node's own methods for a body that no one reads; the types omit the first. */
type Discardable = IncomingMessage & { _dump(): void };

/**
 * Keeps the connection open after an answer that comes before the end of its request's body, such as a 413. A socket
 * that is closed with unread bytes resets the connection, and a client that is still sending loses the answer.
 * Discards the rest of the body up to a limit, and closes only then (nginx calls this a lingering close).
 * Call it before Node listens to the response's end.
 */
export function lingerAfter(request: IncomingMessage, response: ServerResponse): void {
  response.once("finish", () => {
    const { socket } = request;
    if (request.complete || socket.destroyed) return;
    const close = socket.destroySoon;
    // Node calls it next if the answer says `Connection: close`: the client reads the end, and its bytes still arrive.
    socket.destroySoon = () => void socket.end();
    const bytesBefore = socket.bytesRead;
    const giveUpAt = performance.now() + DISCARD_MS_MAX;
    (request as Discardable)._dump();
    // Its reader may have paused it.
    socket.resume();
    const timer = setInterval(() => {
      const isTooMuch = socket.bytesRead - bytesBefore > DISCARD_BYTES_MAX || performance.now() > giveUpAt;
      if (!(request.complete || socket.destroyed || isTooMuch)) return;
      clearInterval(timer);
      socket.destroySoon = close;
      if (!request.complete) socket.destroy();
      else if (socket.writableEnded) socket.destroySoon();
    }, LOOK_EVERY_MS);
  });
}
