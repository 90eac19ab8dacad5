import "server-only";
import type { ObjectId } from "mongodb";
import { z } from "zod";
import type { Identity } from "@/lib/platform/access/caller";
import type { HeldRight } from "@/lib/platform/access/held-right";
import { type Access, refuseReadKey, requireCredential } from "@/lib/platform/access/rules";
import { databaseReady } from "@/lib/platform/db/ready";
import { env } from "@/lib/platform/env";
import { BODY_LIMITS, type BodyLimit, HeldBody, readJson } from "@/lib/platform/http/body";
import type { ContentShapes } from "@/lib/platform/http/content";
import { refuseCrossSite } from "@/lib/platform/http/csrf";
import { endingWith } from "@/lib/platform/http/ending-body";
import { failure, successOfAnySize } from "@/lib/platform/http/envelope";
import { AppError, type ErrorKind, type InputProblem, toInputProblems } from "@/lib/platform/http/errors";
import { objectId } from "@/lib/platform/http/ids";
import { remoteAddress } from "@/lib/platform/http/remote-address";
import { REQUEST_ID_HEADER, requestIdOf } from "@/lib/platform/http/request-id";
import { commonHeaders, DATA_POLICY } from "@/lib/platform/http/security-headers";
import { addLogContext, withLogContext } from "@/lib/platform/log/context";
import { metrics } from "@/lib/platform/metrics/metrics";
import { toRoutePath } from "./route-path";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];
type Verb = Method | "HEAD" | "OPTIONS";
/**
 * Minimum size of a compressed answer. Smaller ones fit into the ten packets that are sent before the first
 * acknowledgement, so compression by the server or a proxy gains no time, and would cost a third of the rate of small
 * queries.
 */
const COMPRESSED_BYTES_MIN = 12 * 1024;
/** Maximum size of an answer that is sent as a whole: it ends before a right could be lost. */
const WHOLE_BYTES_MAX = 64 * 1024;
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** A handler's input: its caller and its validated request. */
export type RequestContext<C, P, Q, B, K> = {
  /** The caller that the route's access admits; null on open routes. */
  caller: C;
  /** Part of the request as its schema returns it; undefined without a schema. */
  params: P;
  query: Q;
  body: B;
  /** The connection in the path, if the route loads it; null if the workspace has none with this id. */
  connection: K | null;
  request: Request;
  /** Aborts when the client disconnects, and when the caller loses the right to the answer. */
  signal: AbortSignal;
  /** Ends the answer when the caller loses a right in a workspace that the path does not name. */
  needs: HeldRight["needs"];
  /** The client's address for limits; null if unknown. */
  address: string | null;
  requestId: string;
  /** Headers for the answer, including Set-Cookie. */
  headers: Headers;
};

/** Declaration of an endpoint: its text in the API reference, its access, its input and its answer. */
export type RouteDeclaration<
  C = unknown,
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> = {
  summary: string;
  description?: string;
  tag: string;
  access: Access<C>;
  params?: P;
  query?: Q;
  body?: B;
  /** Maximum size of a body; default: `json` (1 MiB). */
  bodyLimit?: BodyLimit;
  /** Whether numbers of the body that no double holds are kept exactly (`ExactNumber`), for values of a database. */
  keepsDigits?: true;
  /** Types of a body that is not JSON, with the shape of each; null for plain bytes. */
  rawBody?: ContentShapes;
  /** Shape of `data`, which is null without it. */
  response?: z.ZodType;
  /** Success status; default: 200 (docs/develop/api.md, Common rules). */
  status?: 200 | 201 | 202;
  message?: string;
  /** Answers outside of the envelope, by status. One without a type has no body: redirects. */
  outside?: Readonly<Record<number, ContentShapes>>;
  /** Error codes of `handle`, beyond those that follow from the access and the input (`failuresOf`). */
  failures?: readonly ErrorKind[];
  /** Reasons to reject valid input with `invalid_request`, by field, if they depend on more than the input. */
  refuses?: Readonly<Record<string, string>>;
  /**
   * Whether a request that is not a GET changes nothing, so that a read-only key is admitted: queries (which are then
   * read-only), cancelling the caller's queries, tests of connections.
   */
  isRead?: boolean;
  /** Whether it is a write without a cookie that a browser could still be made to send: login and register. */
  guardsOrigin?: boolean;
  /** Whether the path's connection is loaded together with the identity. */
  readsConnection?: boolean;
  /**
   * Whether a look-up of the caller may be up to `RECENT_MS` old: for routes that are called hundreds of times a
   * second.
   */
  identityMayBeRecent?: boolean;
  /** Whether it answers while the document store is unreachable. */
  worksWithoutStore?: boolean;
};

/** The declaration with its handler, as `route` runs it: each part of the context comes from the declaration. */
type Definition<C, K> = RouteDeclaration<C> & {
  handle: (context: RequestContext<C, unknown, unknown, unknown, K>) => unknown;
};

/** Ids in the path of a request, which are read in the same look-up as the caller. */
export type PathIds = {
  workspaceId: ObjectId | null;
  connectionId: ObjectId | null;
  mayBeRecent?: boolean;
  /** Whether access tokens of connected apps are accepted beside API keys. */
  takesTokens: boolean;
};
/** Services that the wrapper needs from the accounts feature. `K` is a connection as that feature reads it. */
export type RouteServices<K> = {
  /**
   * Identifies the sender of a request.
   * @returns null for an anonymous request; `setCookie` is null if the session's expiry is unchanged
   * @throws AppError `unauthenticated` for an invalid or expired key
   */
  identify(
    headers: Headers,
    ids: PathIds,
  ): Promise<(Identity & { connection: K | null; setCookie: string | null }) | null>;
  /** Watches the right to a long answer until it is released. */
  holdRight(identity: Identity, access: Pick<Access, "authorize">, workspaceId: ObjectId | null): HeldRight;
};

export type RouteHandler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;
/** A handler with its declaration, from which the API reference and the access matrix are generated. */
export type DefinedHandler = RouteHandler & { definition: RouteDeclaration };

/**
 * Creates the wrapper of all route handlers. Its checks follow the order of docs/develop/api.md: 401, malformed id 400,
 * 403, input 400, then the handler.
 */
export function createRoute<K>(services: RouteServices<K>) {
  function route<
    C,
    P extends z.ZodType = z.ZodUndefined,
    Q extends z.ZodType = z.ZodUndefined,
    B extends z.ZodType = z.ZodUndefined,
  >(
    definition: RouteDeclaration<C, P, Q, B> & {
      handle: (context: RequestContext<C, z.output<P>, z.output<Q>, z.output<B>, K>) => unknown;
    },
  ): DefinedHandler;
  function route<C>(definition: Definition<C, K>): DefinedHandler {
    const handler: RouteHandler = async (request, context) => {
      const startedAt = performance.now();
      const response = await answer(request, definition.summary, (requestId, held) =>
        run(services, definition, request, context, { requestId, held }),
      );
      const { method } = request;
      const path = toRoutePath(request.url, await context.params);
      metrics().requests.inc({ method, route: path, status: response.status });
      metrics().requestSeconds.observe({ method, route: path }, (performance.now() - startedAt) / 1000);
      return response;
    };
    return Object.assign(handler, { definition });
  }
  return Object.assign(route, { methods });
}

/**
 * Returns all verbs of one path. Missing ones answer 405 in JSON with Allow; Next's answer would have neither. HEAD is
 * GET without the body.
 */
function methods(handlers: Partial<Record<Method, DefinedHandler>>): Record<Verb, RouteHandler> {
  const allowed: string[] = METHODS.filter((method) => handlers[method]);
  if (handlers.GET) allowed.push("HEAD");
  const refuse: RouteHandler = (request) =>
    answer(request, "method not allowed", () => {
      throw new AppError("method_not_allowed", `Method not allowed. Use ${allowed.join(" or ")}.`, {
        headers: { Allow: allowed.join(", ") },
      });
    });
  const { GET = refuse, POST = refuse, PUT = refuse, PATCH = refuse, DELETE = refuse } = handlers;
  const HEAD = handlers.GET ? headOf(handlers.GET) : refuse;
  return { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS: refuse };
}

/** Answers an address without a route. */
export const notFound: RouteHandler = (request) =>
  answer(request, "unknown path", () => {
    throw new AppError("not_found", "Not found. See /api/openapi.json.");
  });

async function answer(
  request: Request,
  routeName: string,
  work: (requestId: string, held: HeldBody) => Promise<Response> | Response,
): Promise<Response> {
  const requestId = requestIdOf(request.headers);
  const held = new HeldBody();
  const response = await withLogContext({ requestId, startedAt: performance.now() }, async () => {
    try {
      return await work(requestId, held);
    } catch (thrown) {
      return failure(thrown, { requestId, method: request.method, route: routeName, signal: request.signal });
    } finally {
      held.release();
    }
  });
  response.headers.set(REQUEST_ID_HEADER, requestId);
  for (const [name, value] of Object.entries(commonHeaders(env().publicUrl))) {
    // An answer may set a stricter Referrer-Policy for its links.
    if (name !== "Referrer-Policy" || !response.headers.has(name)) response.headers.set(name, value);
  }
  // An answer that may be cached says so; all others may be personal.
  if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", "no-store");
  if (Number(response.headers.get("Content-Length") ?? Number.POSITIVE_INFINITY) < COMPRESSED_BYTES_MIN) {
    response.headers.append("Cache-Control", "no-transform");
  }
  if (!response.headers.has("Content-Security-Policy")) response.headers.set("Content-Security-Policy", DATA_POLICY);
  return response;
}

async function run<C, K>(
  { identify, holdRight }: RouteServices<K>,
  definition: Definition<C, K>,
  request: Request,
  context: { params: Promise<unknown> },
  { requestId, held }: { requestId: string; held: HeldBody },
): Promise<Response> {
  const { access } = definition;
  const isWrite = !SAFE.has(request.method);
  const path = (await context.params) ?? {};
  if (definition.guardsOrigin) refuseCrossSite(request.headers, env().publicUrl);

  if (!definition.worksWithoutStore) await databaseReady();
  const { workspaceId, connectionId } = idsOfPath.parse(path);
  const { readsConnection, identityMayBeRecent: mayBeRecent } = definition;
  const named = {
    workspaceId,
    connectionId: readsConnection ? connectionId : null,
    mayBeRecent,
    takesTokens: access.scope === "key",
  };
  const identified = needsIdentity(access, request) ? await identify(request.headers, named) : null;
  addLogContext({
    ...(identified && { user: identified.user._id.toHexString() }),
    ...(workspaceId && { workspace: workspaceId.toHexString() }),
  });
  requireCredential(access, identified);
  const params = definition.params && parse(definition.params, path, "params");
  if (isWrite && identified?.via.kind === "session") refuseCrossSite(request.headers, env().publicUrl);
  const caller = access.authorize(identified, workspaceId);
  if (isWrite && !definition.isRead) refuseReadKey(identified);

  const query = definition.query && parse(definition.query, queryOf(request), "query");
  const body = definition.body && parse(definition.body, await bodyOf(definition, request, identified, held), "body");

  const right = identified && access.scope !== "open" ? holdRight(identified, access, workspaceId) : null;
  const onLeave = () => right?.end(request.signal.reason);
  if (request.signal.aborted) onLeave();
  else request.signal.addEventListener("abort", onLeave, { once: true });
  const release = () => {
    right?.release();
    request.signal.removeEventListener("abort", onLeave);
  };
  const headers = new Headers();
  if (identified?.setCookie) headers.append("Set-Cookie", identified.setCookie);
  let result: unknown;
  try {
    result = await definition.handle({
      caller,
      params,
      query,
      body,
      connection: identified?.connection ?? null,
      request,
      signal: right?.signal ?? request.signal,
      needs: (more, id) => right?.needs(more, id),
      address: remoteAddress(request.headers, env().TRUST_PROXY),
      requestId,
      headers,
    });
  } catch (error) {
    release();
    throw error;
  }
  if (result instanceof Response) {
    const isStream = right !== null && !(Number(result.headers.get("Content-Length") ?? Number.NaN) <= WHOLE_BYTES_MAX);
    // Headers of some responses, mainly redirects, cannot be changed.
    const open = isStream ? endingWith(result, right.signal, release) : new Response(result.body, result);
    if (!isStream) release();
    headers.forEach((value, name) => {
      open.headers.append(name, value);
    });
    return open;
  }
  release();
  return successOfAnySize(result, { status: definition.status ?? 200, message: definition.message, headers });
}

/** Open routes identify no one; those that refuse keys must recognise one. */
function needsIdentity(access: Access, request: Request): boolean {
  return access.scope !== "open" || (access.keys === "refused" && request.headers.has("authorization"));
}

const idOrNull = objectId.nullable().catch(null);
/** Ids in the path, if valid: they are looked up together with the caller, before the path is validated. */
const idsOfPath = z.object({ workspaceId: idOrNull, connectionId: idOrNull });

function queryOf(request: Request): Record<string, string> {
  return Object.fromEntries(new URL(request.url).searchParams);
}

function bodyOf(
  { bodyLimit = "json", keepsDigits }: RouteDeclaration,
  request: Request,
  identity: Identity | null,
  held: HeldBody,
): Promise<unknown> {
  // A page of another site cannot send an API key, so a key's body may have any type.
  const demandJsonType = identity?.via.kind !== "key";
  return readJson(request, BODY_LIMITS[bodyLimit], { demandJsonType, held, keepsDigits });
}

const WHERE = {
  params: "An ID in the path is invalid.",
  query: "The query string is invalid.",
  body: "The request body is invalid.",
} as const;

function parse<T extends z.ZodType>(schema: T, input: unknown, where: keyof typeof WHERE): z.output<T> {
  const outcome = schema.safeParse(input);
  if (outcome.success) return outcome.data;
  if (input === undefined) {
    throw new AppError("invalid_request", WHERE[where], { details: [{ path: "", message: "Send a JSON body." }] });
  }
  const details = toInputProblems(outcome.error.issues);
  throw new AppError("invalid_request", details[0] ? inWords(details[0]) : WHERE[where], { details });
}

function inWords({ path, message }: InputProblem): string {
  return path ? `${path}: ${message}` : message;
}

function headOf(get: RouteHandler): RouteHandler {
  return async (request, context) => {
    const response = await get(request, context);
    await response.body?.cancel();
    return new Response(null, { status: response.status, headers: response.headers });
  };
}
