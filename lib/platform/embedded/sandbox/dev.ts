import { createReadStream, existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { basename, extname, join, relative } from "node:path";
import {
  createServer,
  DevEnvironment,
  type HotChannel,
  type HotChannelClient,
  type HotPayload,
  type ViteDevServer,
} from "vite";
import { applyFile } from "./app-files.ts";
import { commonConfig, ignoredFiles } from "./config.ts";
import { APP_FOLDER, CACHE_FOLDER, CARRIED_FOLDER, PACKAGES_FOLDER } from "./places.ts";
import { toProblem } from "./problems.ts";
import type { Frame, Problem } from "./wire.ts";

/** Path below the base for the stream of changes and the page's own messages. */
export const HOT_PATH = "__hot";
/** Event of the stream with all current problems of the app. */
export const PROBLEMS_EVENT = "millrace:problems";
/** Maximum problems that the editor marks. */
const PROBLEMS_MAX = 50;
const CARRIED_PATH = "__carried/";
/** Cached for long, because the address differs in each session. */
const CARRIED_CACHE = "private, max-age=86400, immutable";
/** Interval of pings on an idle stream, which proxies would close otherwise. */
const PING_MS = 20_000;

export type DevServer = {
  answer(request: Http2ServerRequest, response: Http2ServerResponse): void;
  apply(frame: Frame): Promise<void>;
};

/**
 * Starts a dev server for the app in the app folder.
 * @param base the path below which browsers see it, with a slash at both ends
 */
export async function startDevServer(
  base: string,
  paths: readonly string[],
  onLog: (line: string) => void,
): Promise<DevServer> {
  for (const line of ignoredFiles(paths)) onLog(line);
  const hot = new HotStreams();
  const common = commonConfig({ mode: "development", base, carriedUrl: `/${CARRIED_PATH}`, onLog });
  const vite = await createServer({
    ...common,
    appType: "custom",
    server: {
      middlewareMode: true,
      // The server in front decides who may send requests, and sets CORS headers for frames without an origin.
      cors: false,
      allowedHosts: true,
      ws: false,
      // The editor shows compile errors, with links to their positions.
      hmr: { overlay: false },
      // All changes come through this process and are known at once.
      watch: null,
      fs: { strict: true, allow: [APP_FOLDER, PACKAGES_FOLDER, CACHE_FOLDER] },
    },
    environments: {
      client: {
        dev: {
          createEnvironment: (name, config) => new DevEnvironment(name, config, { hot: true, transport: hot.channel }),
        },
      },
    },
  });
  const serve = new Responder(vite, base, hot);
  return {
    answer: (request, response) => void serve.answer(request, response),
    async apply(frame) {
      const applied = await applyFile(frame);
      if (!applied) return;
      const event = applied.isRemoved ? "unlink" : applied.isNew ? "add" : "change";
      const wasWrong = hot.forget(event === "change" ? relative(APP_FOLDER, applied.file) : null);
      // Vite reports no change of a module that no page has loaded yet, so a page that failed to start needs a full
      // reload.
      const modules = vite.environments.client.moduleGraph.getModulesByFile(applied.file) ?? [];
      const isKnown = event === "change" && [...modules].every(({ isSelfAccepting }) => isSelfAccepting !== undefined);
      // Invalidates the module first: Vite starts with its plugins, and an immediate request would still get the old
      // file.
      vite.environments.client.moduleGraph.onFileChange(applied.file);
      vite.watcher.emit(event, applied.file);
      if (wasWrong && !isKnown) hot.channel.send?.({ type: "full-reload" });
    },
  };
}

class Responder {
  readonly #vite: ViteDevServer;
  readonly #base: string;
  readonly #hot: HotStreams;

  constructor(vite: ViteDevServer, base: string, hot: HotStreams) {
    this.#vite = vite;
    this.#base = base;
    this.#hot = hot;
  }

  async answer(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    try {
      const url = request.url ?? "/";
      if (!url.startsWith(this.#base)) return notFound(response);
      const [encoded = ""] = url.slice(this.#base.length).split("?");
      const path = decodeURIComponent(encoded);
      if (path.split(/[/\\]/).includes("..")) return notFound(response);
      if (path === HOT_PATH) return await this.#hot.answer(request, response);
      if (path.startsWith(CARRIED_PATH)) return carried(path.slice(CARRIED_PATH.length), response);
      if (request.method !== "GET" && request.method !== "HEAD") return notFound(response);
      if (isPage(path)) return await this.#page(request, response, path);
      // Middleware for HTTP/1 also works with HTTP/2, except for its types.
      this.#vite.middlewares(request as never, response as never, () => {
        // Vite has reported the error to the open pages.
        if (existsSync(join(APP_FOLDER, path))) fail(response, new Error("Couldn't compile this file."));
        else notFound(response);
      });
    } catch (error) {
      fail(response, error);
    }
  }

  async #page(request: Http2ServerRequest, response: Http2ServerResponse, path: string): Promise<void> {
    const own = join(APP_FOLDER, path);
    const file = path.endsWith(".html") && existsSync(own) ? own : join(APP_FOLDER, "index.html");
    if (!existsSync(file)) return notFound(response, "index.html is missing.");
    const html = await readFile(file, "utf8");
    const page = await this.#vite.transformIndexHtml(request.url ?? this.#base, html);
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
    response.end(request.method === "HEAD" ? "" : page);
  }
}

/** Returns true for HTML pages, and for routes that the app's own script draws, which have no extension. */
function isPage(path: string): boolean {
  if (path.endsWith(".html")) return true;
  return !path.startsWith("@") && extname(path) === "" && !existsSync(join(APP_FOLDER, "public", path));
}

function carried(name: string, response: Http2ServerResponse): void {
  const file = join(CARRIED_FOLDER, "development", basename(name));
  if (existsSync(file) && statSync(file).isFile()) {
    response.writeHead(200, { "content-type": "text/javascript", "cache-control": CARRIED_CACHE });
    createReadStream(file).pipe(response);
  } else notFound(response);
}

function notFound(response: Http2ServerResponse, message = "File not found in this app."): void {
  response.writeHead(404, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  response.end(`${message}\n`);
}

function fail(response: Http2ServerResponse, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  if (response.headersSent) {
    response.end();
    return;
  }
  response.writeHead(500, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  response.end(`${message}\n`);
}

type Listener = (data: unknown, client: HotChannelClient) => void;

/**
 * Vite's messages to and from open pages: Server-Sent Events down and requests up, because our routes cannot forward a
 * WebSocket. The pages' side is in `lib/features/apps/runtime/boot.ts`.
 */
class HotStreams {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #pages = new Map<string, Http2ServerResponse>();
  /** Problems by file, the newest last. A file that failed to compile stays in it until it is written again. */
  readonly #problems = new Map<string, Problem>();
  readonly channel: HotChannel = {
    send: (payload: HotPayload) => {
      if (payload.type === "error") this.#note(toProblem(payload.err));
      for (const response of this.#pages.values()) write(response, payload);
    },
    on: (event: string, listener: Listener) => {
      const known = this.#listeners.get(event) ?? new Set();
      this.#listeners.set(event, known.add(listener));
    },
    off: (event: string, listener: Listener) => void this.#listeners.get(event)?.delete(listener),
    listen() {},
    close() {},
  } as HotChannel;

  async answer(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const page = new URL(request.url ?? "/", "http://sandbox").searchParams.get("page") ?? "";
    if (request.method === "POST") return this.#hear(page, request, response);
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    this.#pages.set(page, response);
    const pings = setInterval(() => response.write(": ping\n\n"), PING_MS);
    response.once("close", () => {
      clearInterval(pings);
      if (this.#pages.get(page) === response) this.#pages.delete(page);
    });
    write(response, { type: "connected" });
    write(response, this.#told());
    this.#notify("vite:client:connect", undefined, page);
  }

  /**
   * Forgets the problem of a file that has changed and will be requested again.
   * @param path null: files were added or removed, which any file may have been missing
   * @returns whether there was a problem
   */
  forget(path: string | null): boolean {
    const before = this.#problems.size;
    if (path === null) this.#problems.clear();
    else this.#problems.delete(path);
    if (this.#problems.size === before) return false;
    this.#sendProblems();
    return true;
  }

  #note(problem: Problem): void {
    // Without a path in the app, the problem concerns a request and not a file.
    if (problem.path === null) return;
    this.#problems.delete(problem.path);
    this.#problems.set(problem.path, problem);
    const [oldest] = this.#problems.keys();
    if (this.#problems.size > PROBLEMS_MAX && oldest !== undefined) this.#problems.delete(oldest);
    this.#sendProblems();
  }

  #sendProblems(): void {
    for (const response of this.#pages.values()) write(response, this.#told());
  }

  #told(): HotPayload {
    return { type: "custom", event: PROBLEMS_EVENT, data: [...this.#problems.values()] };
  }

  async #hear(page: string, request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (message?.type === "custom" && typeof message.event === "string")
      this.#notify(message.event, message.data, page);
    response.writeHead(204);
    response.end();
  }

  #notify(event: string, data: unknown, page: string): void {
    const client = {
      send: (payload: HotPayload) => {
        const response = this.#pages.get(page);
        if (response) write(response, payload);
      },
    } as HotChannelClient;
    for (const listener of this.#listeners.get(event) ?? []) listener(data, client);
  }
}

function write(response: Http2ServerResponse, payload: HotPayload): void {
  response.write(`data: ${JSON.stringify(payload)}\n\n`);
}
