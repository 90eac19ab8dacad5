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
import { AppError, type ErrorKind, type InputProblem } from "@/lib/platform/http/errors";
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
 * Smaller answers are not compressed, by the server or on the way: they fit into the ten packets that leave before the
 * first is acknowledged, so nothing arrives sooner, and compressing would cost a third of the rate of small queries.
 */
const COMPRESSED_BYTES_MIN = 12 * 1024;
/** Answers up to this are handed over whole: they end before a right could be lost. */
const WHOLE_BYTES_MAX = 64 * 1024;
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** What a handler gets to know about its caller and its request. Input is already judged and shaped. */
export type RequestContext<C, P, Q, B, K> = {
  /** Who calls, as the route's access lets them in: null on open routes. */
  caller: C;
  /** What a schema makes of its part of the request; undefined without a schema. */
  params: P;
  query: Q;
  body: B;
  /** The path's connection, where the route reads it along; null when the workspace has none of this id. */
  connection: K | null;
  request: Request;
  /** Aborts when the client goes away, and when the caller loses the right to the answer. */
  signal: AbortSignal;
  /** Makes the answer end with a right in a workspace that the path does not name. */
  needs: HeldRight["needs"];
  /** For limits: the client's address, null when unknown. */
  address: string | null;
  requestId: string;
  /** Headers for the answer, Set-Cookie included. */
  headers: Headers;
};

/** What is declared of an endpoint: its words in the API reference, its locks, its input and its answer. */
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
  /** The most that a body may have; `json` (1 MiB) unless told. */
  bodyLimit?: BodyLimit;
  /** Numbers of the body that no double holds are taken exactly (`ExactNumber`): where it has values for a database. */
  keepsDigits?: true;
  /** Types of a body that is not JSON, each with its shape; null for plain bytes. */
  rawBody?: ContentShapes;
  /** Shape of `data`, which is null where this is absent. */
  response?: z.ZodType;
  /** Success status, 200 unless told (docs/develop/api.md, Common rules). */
  status?: 200 | 201 | 202;
  message?: string;
  /** Answers outside of the envelope by status. One without a type has no body: redirects. */
  outside?: Readonly<Record<number, ContentShapes>>;
  /** What `handle` may fail with, beyond what follows from the locks and the input (`failuresOf`). */
  failures?: readonly ErrorKind[];
  /**
   * What input of the right form may still be refused for with `invalid_request`, since it depends on more than
   * itself: a reason for each field.
   */
  refuses?: Readonly<Record<string, string>>;
  /**
   * It changes nothing although it is no GET, so a key that may only read is let in: queries (which read for it),
   * cancelling of one's own, tests of connections.
   */
  isRead?: boolean;
  /** A write without a cookie that a browser could still be made to send: login and register. */
  guardsOrigin?: boolean;
  /** The path's connection is read along with the identity. */
  readsConnection?: boolean;
  /** Who calls may have been looked up a moment ago (`RECENT_MS`): for what is called hundreds of times a second. */
  identityMayBeRecent?: boolean;
  /** Answers even while the document store is away. */
  worksWithoutStore?: boolean;
};

/** The same with its work, as `route` runs it: each part of the context comes from the declaration beside it. */
type Definition<C, K> = RouteDeclaration<C> & {
  handle: (context: RequestContext<C, unknown, unknown, unknown, K>) => unknown;
};

/** The ids that the path of a request names, which are read in the same look-up as the caller. */
export type PathIds = { workspaceId: ObjectId | null; connectionId: ObjectId | null; mayBeRecent?: boolean };
/** What the wrapper needs of the feature that keeps accounts. `K` is a connection as that feature reads it. */
export type RouteServices<K> = {
  /**
   * Finds who sends a request.
   * @returns null for nobody; `setCookie` is null while the session keeps its end
   * @throws AppError `unauthenticated` for a bad or ended key
   */
  identify(
    headers: Headers,
    ids: PathIds,
  ): Promise<(Identity & { connection: K | null; setCookie: string | null }) | null>;
  /** Watches the right to a long answer until it is released. */
  holdRight(identity: Identity, access: Pick<Access, "authorize">, workspaceId: ObjectId | null): HeldRight;
};

export type RouteHandler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;
/** A handler that still knows what it declares: the API reference and the access matrix are made from it. */
export type DefinedHandler = RouteHandler & { definition: RouteDeclaration };

/**
 * Makes the wrapper of all route handlers. Its checks come in the order of docs/develop/api.md: 401, malformed id 400, 403,
 * input 400, then the work.
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
 * All verbs of one path. Those that are not given answer 405 in JSON with Allow; Next's own answer would have
 * neither. HEAD is GET without the body.
 */
function methods(handlers: Partial<Record<Method, DefinedHandler>>): Record<Verb, RouteHandler> {
  const allowed: string[] = METHODS.filter((method) => handlers[method]);
  if (handlers.GET) allowed.push("HEAD");
  const refuse: RouteHandler = (request) =>
    answer(request, "method not allowed", () => {
      throw new AppError("method_not_allowed", `This address takes ${allowed.join(", ")}.`, {
        headers: { Allow: allowed.join(", ") },
      });
    });
  const { GET = refuse, POST = refuse, PUT = refuse, PATCH = refuse, DELETE = refuse } = handlers;
  const HEAD = handlers.GET ? headOf(handlers.GET) : refuse;
  return { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS: refuse };
}

/** The answer for an address that no route has. */
export const notFound: RouteHandler = (request) =>
  answer(request, "unknown path", () => {
    throw new AppError("not_found", "There is nothing at this address. /api/openapi.json lists what there is.");
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
      return failure(thrown, { requestId, method: request.method, route: routeName });
    } finally {
      held.release();
    }
  });
  response.headers.set(REQUEST_ID_HEADER, requestId);
  for (const [name, value] of Object.entries(commonHeaders(env().publicUrl))) {
    // An answer may be stricter with those who follow its links.
    if (name !== "Referrer-Policy" || !response.headers.has(name)) response.headers.set(name, value);
  }
  // Who lets an answer be kept says so; the rest is about somebody.
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
  const named = { workspaceId, connectionId: readsConnection ? connectionId : null, mayBeRecent };
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
    // Some responses, redirects above all, have headers that cannot be added to.
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

/** Open routes look nobody up; those that refuse keys must know one when they see it. */
function needsIdentity(access: Access, request: Request): boolean {
  return access.scope !== "open" || (access.keys === "refused" && request.headers.has("authorization"));
}

const idOrNull = objectId.nullable().catch(null);
/** What the path names, where it has the right form: it is looked up along with who calls, before the path is judged. */
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
  // A page of another site cannot send an API key, so a key's body needs no type that a form could not have.
  const demandJsonType = identity?.via.kind !== "key";
  return readJson(request, BODY_LIMITS[bodyLimit], { demandJsonType, held, keepsDigits });
}

const WHERE = {
  params: "An id in the address is malformed.",
  query: "The address asks for something malformed.",
  body: "The request is malformed.",
} as const;

function parse<T extends z.ZodType>(schema: T, input: unknown, where: keyof typeof WHERE): z.output<T> {
  const outcome = schema.safeParse(input);
  if (outcome.success) return outcome.data;
  if (input === undefined) {
    throw new AppError("invalid_request", WHERE[where], { details: [{ path: "", message: "Send a JSON body." }] });
  }
  const details: InputProblem[] = outcome.error.issues.map((issue) => ({
    path: issue.path.join("."),
    message: issue.message,
  }));
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
