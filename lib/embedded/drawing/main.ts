import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { parseArgs } from "node:util";
import { giveRightOfWay } from "../../process/right-of-way.ts";
import { FrameReader, sendFrame } from "../engine/wire.ts";
import { drawPage } from "./draw.ts";
import { type DrawAnswer, type DrawRequest, FILE_BYTES_MAX, type PicturePart, toFrame } from "./messages.ts";

/*
 * Draws pages as PNG and PDF in a child process: `--socket <path>`. A specification that takes all memory, or never ends,
 * ends this process and nothing else. It sends `{type:"ready"}` over IPC once it listens, and ends with its parent or after
 * an idle time.
 */

const OWNER_ONLY = 0o600;
/** The process holds 150 MB; snapshots come in bursts, on the hour. */
const IDLE_MS = 5 * 60_000;

function main(): void {
  giveRightOfWay({ isWorker: false });
  const { values } = parseArgs({ options: { socket: { type: "string" } } });
  const path = values.socket;
  if (!path) throw new Error("The drawing process needs --socket.");
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
    // A greeting: the kernel also takes connections to a process that is ending.
    socket.write(toFrame(new Uint8Array()));
    serve(socket, server);
  });
  // The path belongs to one server: a socket that exists is left over.
  rmSync(path, { force: true });
  server.listen(path, () => {
    chmodSync(path, OWNER_ONLY);
    rest();
    if (process.connected) process.send?.({ type: "ready" });
  });
}

function serve(socket: Socket, server: Server): void {
  const frames = new FrameReader<Buffer>(FILE_BYTES_MAX, (bytes) => Buffer.from(bytes));
  let request: DrawRequest | null = null;
  const parts: PicturePart[] = [];
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    try {
      for (const frame of frames.push(chunk)) {
        const message: unknown = JSON.parse(frame.toString("utf8"));
        if (request === null) request = message as DrawRequest;
        else parts.push(message as PicturePart);
      }
    } catch {
      socket.destroy();
      return;
    }
    if (request === null || parts.length !== request.partCount) return;
    answer(socket, request, parts).then(
      () => socket.end(),
      async (error: unknown) => {
        // The renderer is in an unknown state after a failure: the next page gets a new process. Nobody is greeted meanwhile.
        server.close();
        await sendHead(socket, { error: error instanceof Error ? error.message : String(error) }).catch(() => {});
        socket.end(() => process.exit(1));
      },
    );
  });
}

async function answer(socket: Socket, request: DrawRequest, parts: PicturePart[]): Promise<void> {
  const { png, pdf, undrawn } = await drawPage({ ...request, parts }, request.withPdf);
  await sendHead(socket, { undrawn, hasPdf: pdf !== null });
  await sendFrame(socket, toFrame(png));
  if (pdf) await sendFrame(socket, toFrame(pdf));
}

function sendHead(socket: Socket, head: DrawAnswer): Promise<void> {
  return sendFrame(socket, toFrame(Buffer.from(JSON.stringify(head))));
}

main();
