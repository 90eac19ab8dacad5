import { createServer, type ServerHttp2Stream } from "node:http2";
import { Socket } from "node:net";
import { applyFile, filesIn } from "./app-files.ts";
import type { DevServer } from "./dev.ts";
import { APP_FOLDER } from "./places.ts";
import { CHANNEL_FD, CONTROL, fileFrame, type Head, readFrames, toFrame } from "./wire.ts";

/*
 * Runs in a sandbox, for one app and one task: a build, or a dev server. Requests come over the inherited socket, and
 * this process ends with it.
 */

const channel = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
channel.once("close", () => process.exit(0));

// A page's request may make the builder throw; that must not end the session.
process.on("unhandledRejection", (reason) => process.stderr.write(`${String(reason)}\n`));

let dev: DevServer | null = null;

const server = createServer();
server.on("request", (request, response) => {
  const path = request.url ?? "/";
  const isControl = path === CONTROL.build || path === CONTROL.start || path === CONTROL.files;
  if (dev && !isControl) return dev.answer(request, response);
  const { stream } = response;
  stream.on("error", () => {});
  answer(stream, request.method ?? "GET", path).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    if (stream.headersSent) stream.close();
    else stream.respond({ ":status": 500 }, { endStream: true });
  });
});
server.emit("connection", channel);

async function answer(stream: ServerHttp2Stream, method: string, path: string): Promise<void> {
  if (path === CONTROL.build) return answerBuild(stream);
  if (path === CONTROL.start) return answerStart(stream);
  if (path === CONTROL.files && dev) return method === "GET" ? answerFiles(stream) : answerChanges(stream, dev);
  stream.respond({ ":status": 404 }, { endStream: true });
}

/** Starts the dev server. */
async function answerStart(stream: ServerHttp2Stream): Promise<void> {
  const loading = import("./dev.ts");
  let base = "/";
  const paths: string[] = [];
  for await (const frame of readFrames(stream, Number.POSITIVE_INFINITY)) {
    if (frame.head.type === "start") base = frame.head.base;
    else if (await applyFile(frame)) paths.push(frame.head.type === "file" ? frame.head.path : "");
  }
  const { startDevServer } = await loading;
  dev = await startDevServer(base, paths, (line) => process.stdout.write(`${line}\n`));
  stream.respond({ ":status": 204 }, { endStream: true });
}

async function answerChanges(stream: ServerHttp2Stream, { apply }: DevServer): Promise<void> {
  for await (const frame of readFrames(stream, Number.POSITIVE_INFINITY)) await apply(frame);
  stream.respond({ ":status": 204 }, { endStream: true });
}

async function answerFiles(stream: ServerHttp2Stream): Promise<void> {
  stream.respond({ ":status": 200 });
  for await (const { path, content } of filesIn(APP_FOLDER)) await send(stream, fileFrame(path, content));
  await send(stream, toFrame({ type: "end" }));
  stream.end();
}

async function answerBuild(stream: ServerHttp2Stream): Promise<void> {
  // Loads the builder in parallel, because it takes as long as receiving the files.
  const [{ buildApp }, paths] = await Promise.all([import("./build.ts"), receive(stream)]);
  stream.respond({ ":status": 200 });
  const say = (head: Head) => void send(stream, toFrame(head));
  const built = await buildApp(paths, (line) => say({ type: "log", line }));
  if (built.ok) {
    for await (const { path, content } of built.files) await send(stream, fileFrame(path, content));
  } else {
    for (const problem of built.problems) say({ type: "problem", problem });
  }
  say({ type: "end" });
  stream.end();
}

/** Writes the received files to the app folder. */
async function receive(stream: ServerHttp2Stream): Promise<string[]> {
  const paths: string[] = [];
  for await (const frame of readFrames(stream, Number.POSITIVE_INFINITY)) {
    const applied = await applyFile(frame);
    if (applied) paths.push(applied.file.slice(APP_FOLDER.length + 1));
  }
  return paths;
}

/** Waits for a slower reader. */
function send(stream: ServerHttp2Stream, pieces: Buffer[]): Promise<void> {
  let isTaken = true;
  for (const piece of pieces) isTaken = stream.write(piece);
  return isTaken ? Promise.resolve() : new Promise((resolve) => stream.once("drain", resolve));
}
