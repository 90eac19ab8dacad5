import { routeModules } from "@/.generated/routes";
import { statusesOf } from "@/lib/platform/api/openapi";
import { isDefined } from "@/lib/platform/api/registry";
import type { Method, RouteHandler } from "@/lib/platform/api/route";

export type Credentials = { cookie?: string; key?: string };
type CallOptions = Credentials & {
  body?: unknown;
  rawBody?: BodyInit;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};
/** A response with its parsed JSON; `json` is undefined without one. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the body, key by key
export type Answer = { status: number; headers: Headers; text: string; json: any };

/** Calls a route handler without a server: same matching, same handlers, real store. */
export async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const response = await callRaw(method, path, options);
  const type = response.headers.get("content-type");
  const text = type?.startsWith("text/event-stream") ? await readBeginning(response) : await response.text();
  const isJson = type?.startsWith("application/json") && text !== "";
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** Reads the start of an event stream, which shows that it is open: it ends only with its reader. */
async function readBeginning(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const beginning = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(beginning?.value);
}

/** Does the same and leaves the body unread, for streams. */
export async function callRaw(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const url = new URL(path, "http://localhost:3000");
  const { handler, params, pattern } = find(method, url.pathname);
  const headers = new Headers({ host: url.host, ...options.headers });
  if (options.cookie) headers.set("cookie", options.cookie);
  if (options.key) headers.set("authorization", `Bearer ${options.key}`);
  const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  if (body !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  const init = { method, headers, body, duplex: "half", signal: options.signal ?? null };
  const response = await handler(new Request(url, init as RequestInit), { params: Promise.resolve(params) });
  demandListedStatus({ method, path: url.pathname, pattern, handler, status: response.status });
  return response;
}

/** Returns the session cookie of a response, ready to send back. */
export function cookieOf(answer: { headers: Headers }): string {
  const cookie = answer.headers.getSetCookie().find((value) => value.startsWith("auth_session="));
  if (!cookie) throw new Error("The answer sets no session cookie.");
  return cookie.split(";")[0] ?? "";
}

type Found = { handler: RouteHandler; params: Record<string, string>; pattern: string };

/** Checks each response against the reference: an unlisted status is an error in one of the two. */
function demandListedStatus(call: {
  method: string;
  path: string;
  pattern: string;
  handler: RouteHandler;
  status: number;
}) {
  if (!isDefined(call.handler)) return;
  const { definition } = call.handler;
  const listed = statusesOf({ method: call.method as Method, path: call.pattern, definition });
  if (listed.includes(call.status)) return;
  throw new Error(
    `${call.method} ${call.path} answered ${call.status}, which the reference does not list. Name what it failed with in \`failures\` of ${call.pattern}.`,
  );
}

function find(method: string, pathname: string): Found {
  const segments = pathname.split("/").filter(Boolean);
  const matches = routeModules.flatMap(({ path, load }) => {
    const params = match(path.split("/").filter(Boolean), segments);
    const literal = path.split("/").filter((segment) => !segment.startsWith("{")).length;
    return params ? [{ params, literal, pattern: path, load: load as Record<string, RouteHandler> }] : [];
  });
  // A literal segment wins over a parameter, as in Next.
  matches.sort((a, b) => b.literal - a.literal);
  const handler = matches[0]?.load[method];
  if (!matches[0] || !handler) throw new Error(`No handler for ${method} ${pathname}`);
  return { handler, params: matches[0].params, pattern: matches[0].pattern };
}

function match(pattern: string[], segments: string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const name = /^\{(.+?)(\.\.\.)?\}$/.exec(part);
    if (name?.[2]) return { ...params, [name[1] as string]: segments.slice(index).join("/") };
    const segment = segments[index];
    if (segment === undefined) return null;
    if (name) params[name[1] as string] = decodeURIComponent(segment);
    else if (part !== segment) return null;
  }
  return segments.length === pattern.length ? params : null;
}
