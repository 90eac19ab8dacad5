import "server-only";
import { findOpenShare } from "@/lib/features/shares/service";
import { findRole } from "@/lib/features/workspaces/memberships";
import type { Caller } from "@/lib/platform/access/caller";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { answerData } from "../bindings/data";
import { collections } from "../collections";
import { countView } from "../feed/views";
import type { AppDoc } from "../model";
import type { DeploymentDoc } from "../publish/model";
import { getAppDocOrThrow } from "../service";
import { viewHeaders } from "./policy";
import type { ViewToken } from "./schema";
import { noFile, pathOf, serveFile, toText } from "./serve";
import { readViewToken, TOKEN_MS, toViewToken, type ViewPass } from "./token";

/** Path of data beside an app's files. */
const DATA = "__data/";

/**
 * Issues an address at which a frame without credentials reads the published app, valid for 15 min.
 * @throws AppError not_found, also for an app that is not published
 */
export async function mintViewToken(caller: Caller, ref: string, now = new Date()): Promise<ViewToken> {
  const app = await getAppDocOrThrow(caller, ref);
  const token = await mintFor(app, { viewerId: caller.user._id, shareId: null }, now);
  // A hint for the order of the feed: the response does not wait for it, and a failure does not refuse anyone.
  void countView(caller, app, now).catch((err: unknown) => log.warn({ err }, "a view of an app was not counted"));
  return token;
}

/** Does the same for a visitor or user who was admitted already. @throws AppError not_found when it is not published */
export async function mintFor(
  app: AppDoc,
  who: Pick<ViewPass, "viewerId" | "shareId">,
  now = new Date(),
): Promise<ViewToken> {
  const deployment = await currentOrThrow(app);
  const expiresAt = new Date(now.getTime() + TOKEN_MS);
  const { workspaceId, _id: appId } = app;
  const token = toViewToken({ workspaceId, appId, deploymentId: deployment._id, ...who, expiresAt });
  return {
    token,
    url: `${env().publicUrl}${basePath(token)}`,
    sha: deployment.sha,
    expiresAt: expiresAt.toISOString(),
  };
}

/** Serves a file of an app to anyone with the token: no cookie is read. */
export function viewByToken(request: Request, token: string): Promise<Response> {
  return answerView(request, basePath(token), async (base, headers) => {
    const { workspaceId, appId, deploymentId, shareId, viewerId } = readViewToken(token);
    // A removed member loses access although the token is still valid.
    if (viewerId && (await findRole(workspaceId, viewerId)) === null) throw noFile();
    const share = shareId && (await findOpenShare(workspaceId, shareId));
    if (shareId && !share) throw noFile();
    if (share?.embed) allowFrames(headers, request, base, share.embedOrigins);
    const deployment = await collections.appDeployments().findOne({ _id: deploymentId, workspaceId, appId });
    if (!deployment) throw noFile();
    return serve(request, deployment, base, headers);
  });
}

/** Allows frames in other sites if the share may be embedded: the policy must name all ancestors. */
function allowFrames(headers: Headers, request: Request, base: string, sites: readonly string[]): void {
  for (const [name, value] of Object.entries(viewHeaders(request, base, sites))) headers.set(name, value);
}

/** Serves the current version to a signed-in member or an API key. */
export function viewAsMember(caller: Caller, ref: string, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const [, base = "/"] = /^(\/api\/workspaces\/[^/]+\/apps\/[^/]+\/view\/)/.exec(`${pathname}/`) ?? [];
  return answerView(request, base, async (_, headers) => {
    const app = await getAppDocOrThrow(caller, ref);
    return serve(request, await currentOrThrow(app), base, headers);
  });
}

async function serve(request: Request, deployment: DeploymentDoc, base: string, headers: Headers): Promise<Response> {
  const { workspaceId, appId, buildId, sha } = deployment;
  const path = pathOf(request, base);
  if (path.startsWith(DATA)) {
    const app = await collections.apps().findOne({ _id: appId, workspaceId });
    const at = { kind: "deployment" as const, sha };
    const { search } = new URL(request.url);
    const answer =
      app && (await answerData({ app, at, path, search, headers: request.headers, signal: request.signal }));
    if (!answer) throw noFile();
    for (const [name, value] of headers) answer.headers.set(name, value);
    return answer;
  }
  return serveFile(request, { workspaceId, appId, buildId }, base, headers);
}

/** Runs `work` with the headers of the app's address; errors are returned as text. */
async function answerView(
  request: Request,
  base: string,
  work: (base: string, headers: Headers) => Promise<Response>,
): Promise<Response> {
  const headers = () => new Headers(viewHeaders(request, base));
  try {
    if (request.headers.get("sec-fetch-dest") === "document") {
      throw new AppError("forbidden", "Apps open only inside Millrace. Open the app's page.");
    }
    return await work(base, headers());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return toText(error.kind, error.message, error.status, headers());
  }
}

async function currentOrThrow({ workspaceId, _id: appId, deploymentId }: AppDoc): Promise<DeploymentDoc> {
  const current =
    deploymentId && (await collections.appDeployments().findOne({ _id: deploymentId, workspaceId, appId }));
  if (!current) throw new AppError("not_published", "This app is not published yet.");
  return current;
}

function basePath(token: string): string {
  return `/api/apps/view/${token}/`;
}
