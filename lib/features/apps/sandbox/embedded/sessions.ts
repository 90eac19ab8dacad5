import "server-only";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { CONTROL, fileFrame, readFrames, toFrame } from "@/lib/platform/embedded/sandbox/wire";
import { AppError } from "@/lib/platform/http/errors";
import { FILES_BYTES_MAX, START_MS_MAX } from "../limits";
import { installPackages } from "../packages/install";
import { PackageProblem } from "../packages/lock";
import { type AppFiles, DEV_PATH, type Session } from "../sandbox";
import { framesOf } from "./builds";
import { carriedFolder } from "./carried";
import { SandboxChild } from "./child";
import { sandboxCommand, sandboxEnvironment } from "./confinement";

/** 128 bits: anyone with the address may see the working copy. */
const CAPABILITY_BYTES = 16;
/** Request headers passed to a dev server. Others could get compressed or cached pages, which cannot be inspected. */
const ASKED = ["accept", "content-type", "if-none-match", "range"];
const TOLD = ["cache-control", "content-type", "etag", "content-range", "accept-ranges"];

/** Never aborts: others may wait for the same start. */
const NEVER = new AbortController().signal;

/** Starts a dev server in a separate sandbox. */
export async function startSession(files: AppFiles): Promise<Session> {
  const packages = await installFor(files);
  const base = `${DEV_PATH}${randomBytes(CAPABILITY_BYTES).toString("hex")}/`;
  const stop = new AbortController();
  const child = new SandboxChild({
    ...sandboxCommand("session", await carriedFolder()),
    env: sandboxEnvironment("session"),
    onLine: () => {},
    signal: stop.signal,
  });
  const slow = setTimeout(() => child.end(new Error("The dev server did not start in time.")), START_MS_MAX);
  try {
    await change(child, CONTROL.start, [...toFrame({ type: "start", base }), ...framesOf(files, packages)]);
  } catch (error) {
    throw new AppError("unavailable", "The dev server did not start. Try again.", {
      cause: [error, await child.failure()],
    });
  } finally {
    clearTimeout(slow);
  }
  return new EmbeddedSession(base, child);
}

async function installFor(files: AppFiles): Promise<AppFiles | null> {
  try {
    return await installPackages(files, NEVER);
  } catch (error) {
    if (!(error instanceof PackageProblem)) throw error;
    throw new AppError("conflict", `${error.path}: ${error.message}`, { cause: error });
  }
}

class EmbeddedSession implements Session {
  readonly startedAt = new Date();
  readonly base: string;
  readonly ended: Promise<void>;
  readonly #child: SandboxChild;

  constructor(base: string, child: SandboxChild) {
    this.base = base;
    this.#child = child;
    this.ended = child.ended;
  }

  async request({ method, path, headers, body, signal }: Parameters<Session["request"]>[0]): Promise<Response> {
    if (!path.startsWith(this.base)) throw new AppError("not_found", "File not found.");
    const asked = ASKED.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    const stream = this.#open({ ":method": method, ":path": path, ...Object.fromEntries(asked) }, body !== undefined);
    signal?.addEventListener("abort", () => stream.close(), { once: true });
    try {
      if (body) void pipeline(Readable.fromWeb(body as NodeReadableStream), stream).catch(() => stream.close());
      const answer = await answerOf(stream);
      const status = Number(answer[":status"]);
      const told = TOLD.flatMap((name) => {
        const value = answer[name];
        return typeof value === "string" ? [[name, value] as const] : [];
      });
      const isEmpty = status === 204 || status === 304 || method === "HEAD";
      if (isEmpty) stream.resume();
      return new Response(isEmpty ? null : (Readable.toWeb(stream) as ReadableStream<Uint8Array>), {
        status,
        headers: [...told.map(([name, value]): [string, string] => [name, value])],
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw gone(error);
    }
  }

  async readFiles(): Promise<AppFiles> {
    const stream = this.#open({ ":method": "GET", ":path": CONTROL.files }, false);
    const files = new Map<string, Buffer>();
    try {
      for await (const { head, body } of readFrames(stream, FILES_BYTES_MAX)) {
        if (head.type === "file") files.set(head.path, body);
      }
      return files;
    } catch (error) {
      throw gone(error);
    }
  }

  async writeFile(path: string, content: Buffer | null): Promise<void> {
    const frame = content === null ? toFrame({ type: "removed", path }) : fileFrame(path, content);
    try {
      await change(this.#child, CONTROL.files, [...frame, ...toFrame({ type: "end" })]);
    } catch (error) {
      throw gone(error);
    }
  }

  get isAlive(): boolean {
    return this.#child.isAlive;
  }

  async stop(): Promise<void> {
    this.#child.end(null);
    await this.ended;
  }

  #open(headers: Record<string, string>, hasBody: boolean): ClientHttp2Stream {
    if (!this.#child.isAlive) throw gone(null);
    const stream = this.#child.request(headers, hasBody);
    // Errors are reported to whichever caller waits; without one, they are ignored.
    stream.on("error", () => {});
    return stream;
  }
}

async function change(child: SandboxChild, path: string, frames: readonly Buffer[]): Promise<void> {
  const stream = child.request({ ":method": "POST", ":path": path }, true);
  const [answer] = await Promise.all([answerOf(stream), pipeline(frames, stream)]);
  stream.resume();
  if (answer[":status"] !== 204) throw new Error(`The sandbox returned ${answer[":status"]}.`);
}

async function answerOf(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders & { ":status"?: number }> {
  const closed = once(stream, "close").then(() => {
    throw new Error("The sandbox closed the request.");
  });
  closed.catch(() => {});
  const [headers] = await Promise.race([once(stream, "response"), closed]);
  return headers;
}

function gone(cause: unknown): AppError {
  return new AppError("unavailable", "The dev server has stopped. Start it again.", { cause });
}
