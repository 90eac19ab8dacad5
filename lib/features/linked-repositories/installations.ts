import "server-only";
import { createHmac } from "node:crypto";
import { ObjectId } from "mongodb";
import { z } from "zod";
import { identify } from "@/lib/features/accounts/identity";
import { hashToken, newToken } from "@/lib/features/accounts/tokens";
import { findRole } from "@/lib/features/workspaces/memberships";
import { findWorkspaceSlug } from "@/lib/features/workspaces/service";
import type { Caller } from "@/lib/platform/access/caller";
import { isAtLeast } from "@/lib/platform/access/roles";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { inTransaction } from "@/lib/platform/db/transaction";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { deriveKey } from "@/lib/platform/secrets/bootstrap";
import { isSameSignature } from "@/lib/platform/secrets/signing-secret";
import { collections } from "./collections";
import { authorizeUrl, isHostConfigured, readPerson, requireHost } from "./github";
import type { RepoHostInstallationDoc } from "./model";

/** T101: lifetime of a state, in ms. Enough to sign in at the host. */
const STATE_MS = 10 * 60 * 1000;
const CALLBACK_PATH = "/api/repohost/callback";
/** The payload, a dot, and the signature in hex. */
const STATE = /^([A-Za-z0-9_-]{1,1000})\.([0-9a-f]{64})$/;
const claimSchema = z.strictObject({
  workspaceId: z.string().regex(/^[0-9a-f]{24}$/),
  expiresAt: z.number(),
  isOfKey: z.boolean(),
  once: z.string(),
});

/**
 * Returns the URL at which the host asks the user to let us list their installations. It leads back once, within ten
 * minutes, and only for the user who requested it.
 * @throws AppError `repo_host_not_configured`
 */
export function beginAuthorization({ workspaceId, user, via }: Caller, now = new Date()): { url: string } {
  const host = requireHost();
  const isOfKey = via.kind === "key";
  const claim = JSON.stringify({
    workspaceId: workspaceId.toHexString(),
    expiresAt: now.getTime() + STATE_MS,
    isOfKey,
    once: newToken(),
  });
  const text = Buffer.from(claim).toString("base64url");
  const signature = signatureOf(text, user._id, via.kind === "session" ? via.sessionId : null);
  return { url: authorizeUrl(host, `${text}.${signature}`, redirectUri()) };
}

/**
 * Handles the callback from the host: stores the user's installations, and redirects to the workspace.
 * @throws AppError `not_found` if no host is set up; `unauthenticated`; `invalid_request` for a state that is forged,
 *   used, expired or another user's; `forbidden` for a user who is no longer an admin of the workspace
 */
export async function endAuthorization(request: Request, now = new Date()): Promise<Response> {
  if (!isHostConfigured()) throw new AppError("not_found", "No repository host is configured.");
  const { searchParams } = new URL(request.url);
  const identity = await identify(new Headers({ cookie: request.headers.get("cookie") ?? "" }), { workspaceId: null });
  if (identity?.via.kind !== "session") {
    throw new AppError("unauthenticated", "Sign in with this browser, then link the repository again.");
  }
  const { user, via } = identity;
  const workspaceId = await takeState(searchParams.get("state") ?? "", user._id, via.sessionId, now);
  const [role, slug] = await Promise.all([findRole(workspaceId, user._id), findWorkspaceSlug(workspaceId)]);
  if (!role || slug === null || !isAtLeast(role, "admin")) {
    throw new AppError("forbidden", "Only admins can link a repository.");
  }
  const target = new URL(`/w/${slug}/apps/link`, env().publicUrl);
  const code = searchParams.get("code");
  if (code === null || code === "") {
    // The user declined: nothing of the host's message is repeated.
    target.searchParams.set("authorization", "refused");
    return redirectTo(target);
  }
  const host = requireHost();
  const { login, installations } = await readPerson(host, code, redirectUri());
  const docs = installations.map(
    ({ id, account }): RepoHostInstallationDoc => ({
      _id: new ObjectId(),
      workspaceId,
      userId: user._id,
      installationId: id,
      account,
      login,
      seenAt: now,
    }),
  );
  await inTransaction(async (session) => {
    await collections.repoHostInstallations().deleteMany({ workspaceId, userId: user._id }, { session });
    if (docs.length > 0) await collections.repoHostInstallations().insertMany(docs, { session });
  });
  target.searchParams.set("authorization", "done");
  return redirectTo(target);
}

/** Returns the installations that the host listed for the caller. */
export function installationsOf({ workspaceId, user }: Caller): Promise<RepoHostInstallationDoc[]> {
  return collections.repoHostInstallations().find({ workspaceId, userId: user._id }).sort({ account: 1 }).toArray();
}

/**
 * Returns the workspace of a state. A state is valid once: its hash is stored until it would have expired.
 * @throws AppError `invalid_request`
 */
async function takeState(state: string, userId: ObjectId, sessionId: ObjectId, now: Date): Promise<ObjectId> {
  const [, text = "", signature = ""] = STATE.exec(state) ?? [];
  const claim = readClaim(text);
  // A state requested by a key is valid in any session of its creator.
  const right = claim && signatureOf(text, userId, claim.isOfKey ? null : sessionId);
  if (!claim || right === null || !isSameSignature(signature, right) || claim.expiresAt <= now.getTime())
    throw badState();
  try {
    await collections.repoHostStates().insertOne({ _id: hashToken(state), expiresAt: new Date(claim.expiresAt) });
  } catch (error) {
    if (isDuplicateKey(error)) throw badState();
    throw error;
  }
  return new ObjectId(claim.workspaceId);
}

function readClaim(text: string): z.infer<typeof claimSchema> | null {
  try {
    return claimSchema.parse(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
  } catch {
    return null;
  }
}

/**
 * Returns the signature of a state. Only the signature contains its user and session: the host sees the state and does
 * not need them.
 */
function signatureOf(text: string, userId: ObjectId, sessionId: ObjectId | null): string {
  const whose = `${userId.toHexString()}.${sessionId?.toHexString() ?? "key"}`;
  return createHmac("sha256", deriveKey("repohost-state")).update(`${whose}.${text}`).digest("hex");
}

function redirectUri(): string {
  return `${env().publicUrl}${CALLBACK_PATH}`;
}

function redirectTo(url: URL): Response {
  return new Response(null, { status: 302, headers: { Location: url.href, "Cache-Control": "no-store" } });
}

function badState(): AppError {
  return new AppError(
    "invalid_request",
    "This link was already used, has expired, or belongs to someone else. Start again from the workspace.",
  );
}
