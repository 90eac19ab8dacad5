import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as WebStream } from "node:stream/web";
import { getInfoRefs, getNothing, postReceivePack, postUploadPack } from "@/lib/features/repository/git/service";
import { type LocalServer, startLocalServer } from "@/test/security/local-server";

type Handler = typeof getInfoRefs;
const ROUTES: Record<string, Handler> = {
  "GET info/refs": getInfoRefs,
  "POST git-upload-pack": postUploadPack,
  "POST git-receive-pack": postReceivePack,
};

/** What a stock git speaks to in tests: the routes' own handlers behind a plain HTTP server. */
export function startGitServer(): Promise<LocalServer> {
  return startLocalServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const [, , repository = "", ...rest] = url.pathname.split("/");
    const handler = ROUTES[`${request.method} ${rest.join("/")}`] ?? getNothing;
    const leave = new AbortController();
    response.on("close", () => leave.abort());
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers))
      if (typeof value === "string") headers.set(name, value);
    const hasBody = request.method === "POST";
    const init = {
      method: request.method,
      headers,
      signal: leave.signal,
      body: hasBody ? Readable.toWeb(request) : undefined,
      duplex: "half",
    };
    const answer = await handler(new Request(url, init as RequestInit), { params: Promise.resolve({ repository }) });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (!answer.body) response.end();
    else await pipeline(Readable.fromWeb(answer.body as WebStream), response).catch(() => undefined);
  });
}
