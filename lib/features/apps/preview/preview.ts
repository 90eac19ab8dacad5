import "server-only";
import type { Caller } from "@/lib/platform/access/caller";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { answerData } from "../bindings/data";
import { collections } from "../collections";
import type { AppDoc } from "../model";
import {
  endWithRight,
  findSession,
  openSession,
  type Running,
  stopSessions,
  touchSessionAt,
  type Whose,
  watch,
} from "../sandbox/registry";
import { type AppFiles, DEV_PATH } from "../sandbox/sandbox";
import { getAppDocOrThrow } from "../service";
import { viewHeaders } from "../view/policy";
import { pathOf, toText } from "../view/serve";
import { committedFiles, contentsOf, workOn } from "../work";
import { findWorkbench, readContents } from "../workbench";
import type { Preview } from "./schema";

/** Path of a page's messages to the dev server; all other paths are read-only. */
const HOT_PATH = "__hot";
const DATA = "__data/";
/** Maximum size of a page's message to Vite: that it has reloaded, or an error. */
const MESSAGE_BYTES_MAX = 256 * 1024;
/** Timeout of the first page of a large app, which Vite has to read first. */
const PROBE_MS = 5_000;

/**
 * Starts the caller's dev server for an app with their version of the files, or returns the running one.
 * @throws AppError sandbox_unavailable with the packages to install, conflict when this server has no slot for it
 */
export async function startPreview(caller: Caller, ref: string): Promise<Preview> {
  const app = await getAppDocOrThrow(caller, ref);
  const running = await openSession(whose(caller, app), () => workingFiles(app, caller));
  endWithRight(running, caller);
  return probe(running);
}

/** Stops the dev server. Written files are in the caller's drafts. */
export async function stopPreview(caller: Caller, ref: string): Promise<void> {
  await stopSessions(whose(caller, await getAppDocOrThrow(caller, ref)));
}

/** Returns the state of a preview, by probing it. Starts none (T100). */
export async function getPreview(caller: Caller, ref: string): Promise<Preview> {
  return probe(findSession(whose(caller, await getAppDocOrThrow(caller, ref))));
}

/**
 * Proxies requests to a dev server below its address, for anyone who knows the address. No cookie is read; the session
 * alone decides which server is asked (T100).
 */
export async function answerPreview(request: Request, capability: string): Promise<Response> {
  const base = `${DEV_PATH}${capability}/`;
  const headers = new Headers(viewHeaders(request, base));
  try {
    return await answer(request, base, headers);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return toText(error.kind, error.message, error.status, headers);
  }
}

async function answer(request: Request, base: string, headers: Headers): Promise<Response> {
  if (request.headers.get("sec-fetch-dest") === "document") {
    throw new AppError("forbidden", "Previews open only in the app editor.");
  }
  const running = touchSessionAt(base);
  if (!running) throw new AppError("not_found", "This preview has stopped. Restart it in the app editor.");
  const { pathname, search } = new URL(request.url);
  const path = pathOf(request, base);
  if (path.startsWith(DATA)) return ownData(request, running, path, headers);
  if (request.method === "POST" && path !== HOT_PATH) {
    throw new AppError("method_not_allowed", "Preview files are read-only.");
  }
  const body = request.method === "POST" ? await messageOf(request) : undefined;
  const { session } = running;
  if (request.method === "GET" && path === HOT_PATH) watch(running, request.signal);
  const answered = await session.request({
    method: request.method,
    path: (pathname.startsWith(base) ? pathname : base) + search,
    headers: request.headers,
    signal: request.signal,
    ...(body && { body }),
  });
  for (const [name, value] of answered.headers) headers.set(name, value);
  if (!headers.has("cache-control")) headers.set("Cache-Control", "no-store");
  return new Response(answered.body, { status: answered.status, headers });
}

/** Answers a binding's rows with the rights of the preview's user. The platform reads them, never the sandbox. */
async function ownData(request: Request, { workspaceId, appId, userId }: Running, path: string, headers: Headers) {
  const { search } = new URL(request.url);
  const app = await collections.apps().findOne({ _id: appId, workspaceId });
  const at = { kind: "work", userId } as const;
  const answered =
    app && (await answerData({ app, at, path, search, headers: request.headers, signal: request.signal }));
  if (!answered) throw new AppError("not_found", "Data not found in this app.");
  for (const [name, value] of headers) answered.headers.set(name, value);
  return answered;
}

/** Returns the body of a message. @throws AppError too_large */
async function messageOf(request: Request): Promise<ReadableStream<Uint8Array>> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.length > MESSAGE_BYTES_MAX) throw new AppError("too_large", "The message is too large.");
  return new Blob([bytes]).stream();
}

async function probe(running: Running | null): Promise<Preview> {
  if (!running?.session.isAlive) return { serving: false, socket: false, port: null };
  const { session } = running;
  const found = await session
    .request({ method: "HEAD", path: session.base, headers: new Headers(), signal: AbortSignal.timeout(PROBE_MS) })
    .catch(() => null);
  return {
    serving: found?.ok ?? false,
    socket: session.isAlive,
    port: null,
    ...(session.isAlive && { url: `${env().publicUrl}${session.base}` }),
  };
}

/** Returns all files of an app in a user's version, drafts included. */
async function workingFiles(app: AppDoc, { user }: Caller): Promise<AppFiles> {
  const work = await workOn(app, user._id);
  const { drafts } = await findWorkbench({ app, userId: user._id });
  const drafted = new Map(drafts.map((draft) => [draft.path, draft]));
  const committed = [...(await committedFiles(work))].filter(([path]) => !drafted.has(path));
  const files = await contentsOf(work.repositoryId, committed);
  for (const [path, content] of await readContents(app.workspaceId, drafts)) files.set(path, content);
  return files;
}

/** Updates the caller's running dev server to the current files. */
export async function refreshPreview(caller: Caller, app: AppDoc): Promise<void> {
  const running = findSession(whose(caller, app));
  if (!running) return;
  const [wanted, there] = await Promise.all([workingFiles(app, caller), running.session.readFiles()]);
  for (const path of there.keys()) if (!wanted.has(path)) await running.session.writeFile(path, null);
  for (const [path, content] of wanted) {
    if (!there.get(path)?.equals(content)) await running.session.writeFile(path, content);
  }
}

function whose({ user }: Caller, { workspaceId, _id: appId }: AppDoc): Whose {
  return { workspaceId, appId, userId: user._id };
}
