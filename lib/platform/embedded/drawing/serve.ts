import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { parseArgs } from "node:util";
import { lowerPriority } from "../../process/lower-priority.ts";
import { FrameReader, sendFrame } from "../engine/wire.ts";
import { FRAME_BYTES_MAX, type Head, readJson, toFrame, toJsonBytes } from "./frames.ts";

const OWNER_ONLY = 0o600;
/** Idle time before the process ends, in ms. It holds up to 150 MB, and requests come in bursts. */
const IDLE_MS = 5 * 60_000;

type Answer = (frames: Buffer[]) => Promise<Uint8Array[]>;

/**
 * Serves requests in a child process: `--socket <path>`. Sends `{type:"ready"}` over IPC once it listens. The process
 * ends with its parent, after an idle time, and after a failure, because the library is then in an unknown state.
 */
export function serve(answer: Answer): void {
  lowerPriority({ isWorker: false });
  const { values } = parseArgs({ options: { socket: { type: "string" } } });
  const path = values.socket;
  if (!path) throw new Error("The process needs --socket.");
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    rmSync(path, { force: true });
    process.exit(0);
  };
  const rest = () => {
    clearTimeout(timer);
    timer = setTimeout(end, IDLE_MS);
  };
  for (const signal of ["SIGTERM", "SIGINT", "disconnect"]) process.on(signal, end);
  if (process.send !== undefined && !process.connected) end();
  const server = createServer((socket) => {
    rest();
    // A greeting, because the kernel also accepts connections to a process that is ending.
    socket.write(toFrame(new Uint8Array()));
    serveSocket(socket, server, answer);
  });
  // Only one server uses this path, so an existing socket is stale.
  rmSync(path, { force: true });
  server.listen(path, () => {
    chmodSync(path, OWNER_ONLY);
    rest();
    if (process.connected) process.send?.({ type: "ready" });
  });
}

function serveSocket(socket: Socket, server: Server, answer: Answer): void {
  const reader = new FrameReader<Buffer>(FRAME_BYTES_MAX, (bytes) => Buffer.from(bytes));
  const received: Buffer[] = [];
  let frameCount: number | null = null;
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    try {
      received.push(...reader.push(chunk));
      const [head] = received;
      if (head) frameCount ??= readJson<{ frameCount: number }>(head).frameCount;
    } catch {
      socket.destroy();
      return;
    }
    if (frameCount === null || received.length !== frameCount + 1) return;
    respond(socket, answer(received.slice(1))).then(
      () => socket.end(),
      async (error: unknown) => {
        // Greets no further connection, so the next request gets a new process.
        server.close();
        const head: Head = { error: error instanceof Error ? error.message : String(error) };
        await sendFrame(socket, toFrame(toJsonBytes(head))).catch(() => {});
        socket.end(() => process.exit(1));
      },
    );
  });
}

async function respond(socket: Socket, answered: Promise<Uint8Array[]>): Promise<void> {
  const frames = await answered;
  await sendFrame(socket, toFrame(toJsonBytes({ frameCount: frames.length } satisfies Head)));
  for (const frame of frames) await sendFrame(socket, toFrame(frame));
}
