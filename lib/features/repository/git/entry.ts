import "server-only";
import { holdRight } from "@/lib/features/accounts/held-rights";
import { identify } from "@/lib/features/accounts/identity";
import { findWorkspaceSlug } from "@/lib/features/workspaces/service";
import type { ByKey, Membership, UserCaller } from "@/lib/platform/access/caller";
import { addressSubject, consume } from "@/lib/platform/access/rate-limit";
import { member } from "@/lib/platform/access/rules";
import { databaseReady } from "@/lib/platform/db/ready";
import { env } from "@/lib/platform/env";
import { endingWith } from "@/lib/platform/http/ending-body";
import { failure } from "@/lib/platform/http/envelope";
import { AppError } from "@/lib/platform/http/errors";
import { remoteAddress } from "@/lib/platform/http/remote-address";
import { REQUEST_ID_HEADER, requestIdOf } from "@/lib/platform/http/request-id";
import { commonHeaders, DATA_POLICY } from "@/lib/platform/http/security-headers";
import { addLogContext, withLogContext } from "@/lib/platform/log/context";

/** The caller of a git request: an API key, in its one workspace. */
export type GitCaller = UserCaller<ByKey> & Membership;

type GitRoute = (request: Request, context: { params: Promise<{ repository: string }> }) => Promise<Response>;
type Work = (caller: GitCaller, request: Request) => Promise<Response> | Response;

const BASIC = /^Basic +([A-Za-z0-9+/=_-]+)$/i;
const BEARER = /^Bearer +\S+$/i;
/** Without this header, git does not ask for a user name and a password. */
const CHALLENGE = { "WWW-Authenticate": 'Basic realm="Millrace", charset="UTF-8"' };

/**
 * Wraps a route of git's protocol. It accepts only an API key, as the password of any user name or as a bearer token;
 * cookies are ignored. Another workspace's repository gets the same response as one that does not exist. Errors before
 * the response starts are plain text, which git shows.
 */
export function gitRoute(work: Work): GitRoute {
  return async (request, { params }) => {
    const requestId = requestIdOf(request.headers);
    const response = await withLogContext({ requestId, startedAt: performance.now() }, async () => {
      try {
        await databaseReady();
        const caller = await enter(request, (await params).repository);
        addLogContext({ user: caller.user._id.toHexString(), workspace: caller.workspaceId.toHexString() });
        await consume("gitRequest", caller.via.keyId.toHexString());
        const right = holdRight({ ...caller, membership: caller.via.membership }, member, caller.workspaceId);
        try {
          return endingWith(await work(caller, request), right.signal, right.release);
        } catch (error) {
          right.release();
          throw error;
        }
      } catch (thrown) {
        return inPlainText(
          failure(thrown, { requestId, method: request.method, route: "git", signal: request.signal }),
        );
      }
    });
    const headers = {
      ...commonHeaders(env().publicUrl),
      "Content-Security-Policy": DATA_POLICY,
      // Packs are compressed already, and a client must receive each piece at once.
      "Cache-Control": "no-cache, no-store, no-transform",
      [REQUEST_ID_HEADER]: requestId,
    };
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  };
}

async function enter(request: Request, repository: string): Promise<GitCaller> {
  const authorization = request.headers.get("authorization");
  if (authorization === null) throw keyNeeded("Use an API key as the password, with any user name.");
  const bearer = toBearer(authorization);
  const identity = bearer === null ? null : await identifyOrNull(bearer);
  if (identity?.via.kind !== "key") {
    await consume("gitBadKey", addressSubject(remoteAddress(request.headers, env().TRUST_PROXY)));
    throw keyNeeded("Invalid or expired API key. Create a new one in Settings.");
  }
  const { user, via } = identity;
  const { workspaceId, role } = via.membership;
  // Only the key's own workspace is looked up, so the response cannot reveal another.
  const slug = await findWorkspaceSlug(workspaceId);
  if (slug === null || repository !== `${slug}.git`) throw new AppError("not_found", "Repository not found.");
  return { user, via, workspaceId, role };
}

async function identifyOrNull(authorization: string) {
  try {
    return await identify(new Headers({ authorization }), { workspaceId: null });
  } catch (error) {
    if (error instanceof AppError && error.kind === "unauthenticated") return null;
    throw error;
  }
}

function toBearer(authorization: string): string | null {
  if (BEARER.test(authorization)) return authorization;
  const encoded = BASIC.exec(authorization)?.[1];
  if (encoded === undefined) return null;
  const pair = Buffer.from(encoded, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  const password = pair.slice(colon + 1);
  return colon < 0 || !/^[\x21-\x7e]+$/.test(password) ? null : `Bearer ${password}`;
}

function keyNeeded(message: string): AppError {
  return new AppError("unauthenticated", message, { headers: CHALLENGE });
}

async function inPlainText(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const { error } = (await response.json()) as { error: string };
  const headers = new Headers(response.headers);
  headers.set("Content-Type", "text/plain; charset=utf-8");
  headers.delete("Content-Length");
  return new Response(`${error}\n`, { status: response.status, headers });
}
