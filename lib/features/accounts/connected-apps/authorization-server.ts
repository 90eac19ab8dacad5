import "server-only";
import { createHash, timingSafeEqual } from "node:crypto";
import { OAuthClientMetadataSchema } from "@modelcontextprotocol/sdk/shared/auth.js";
import { type ClientSession, ObjectId } from "mongodb";
import { enterWorkspace } from "@/lib/features/accounts/identity";
import { ACCESS_TOKEN_PREFIX, hashToken, newToken } from "@/lib/features/accounts/tokens";
import { type BySession, SCOPES, type Scope, type UserCaller } from "@/lib/platform/access/caller";
import { addressSubject, consume } from "@/lib/platform/access/rate-limit";
import { protectedResource } from "@/lib/platform/access/rules";
import { inTransaction } from "@/lib/platform/db/transaction";
import { env } from "@/lib/platform/env";
import { BODY_LIMITS, parseJsonBytes, readRawBody } from "@/lib/platform/http/body";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import type { OAuthClientDoc, OAuthTokenDoc } from "./model";
import { hostOf, isRedirectUri, isSameRedirectUri } from "./redirect-uri";
import type { AuthorizationDecision, AuthorizationDecisionBody, AuthorizationParameters } from "./schema";

/* OAuth 2.1 for /api/mcp (docs/develop/decisions/mcp-sign-in.md): public clients, PKCE, opaque tokens. */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Time for the client to redeem a code: it does so at once. */
const CODE_MS = MINUTE_MS;
/** Lifetime of an access token, which cannot be renewed after a revocation anyway. */
export const ACCESS_MS = 15 * MINUTE_MS;
/** Access ends after this time without use, as the consent page says. */
export const UNUSED_MS = 90 * DAY_MS;
/** Time in which the reuse of a code or a refresh token is recognised as such, and ends the app's access. */
const REUSE_KNOWN_MS = 7 * DAY_MS;
/** Time in which a registration must lead to its first consent. */
const UNUSED_CLIENT_MS = DAY_MS;
/** Maximum number of registrations: far more than people's clients, and a bound on what strangers can store. */
const CLIENTS_MAX = 10_000;
const REDIRECT_URIS_MAX = 10;
const REDIRECT_URI_CHARS_MAX = 2000;
const NAME_CHARS_MAX = 60;

/** An error in the protocol's own form (RFC 6749, 5.2; RFC 7591, 3.2.2). */
class ProtocolError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const json = (body: unknown, status = 200) => Response.json(body, { status });

/** Answers a request of the protocol, with its errors in the protocol's form. */
async function answer(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return json({ error: error.code, error_description: error.message }, error.code === "invalid_client" ? 401 : 400);
  }
}

/** Returns the metadata of RFC 9728: who issues tokens for /api/mcp. */
export function describeResource(): Response {
  const { resource } = protectedResource();
  return json({
    resource,
    authorization_servers: [env().publicUrl],
    scopes_supported: SCOPES,
    bearer_methods_supported: ["header"],
    resource_name: "Millrace",
  });
}

/** Returns the metadata of RFC 8414. */
export function describeServer(): Response {
  const issuer = env().publicUrl;
  return json({
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/api/oauth/token`,
    registration_endpoint: `${issuer}/api/oauth/register`,
    revocation_endpoint: `${issuer}/api/oauth/revoke`,
    scopes_supported: SCOPES,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  });
}

/**
 * Registers a client (RFC 7591). Every client is public: other metadata is replaced, as the RFC allows.
 * @throws AppError `rate_limited`, `too_large`, `unavailable` if too many are registered
 */
export function registerClient(request: Request, address: string | null, now = new Date()): Promise<Response> {
  return answer(async () => {
    await consume("oauthRegister", addressSubject(address));
    const { redirectUris, name } = readMetadata(await readRawBody(request, BODY_LIMITS.auth));
    const clients = collections.oauthClients();
    if ((await clients.estimatedDocumentCount()) >= CLIENTS_MAX) {
      throw new AppError("unavailable", "Too many clients are registered. Try again tomorrow.", {
        retryAfterSeconds: DAY_MS / 1000,
      });
    }
    const clientId = `mc_${newToken()}`;
    await clients.insertOne({
      _id: new ObjectId(),
      clientId,
      name,
      redirectUris,
      createdAt: now,
      expiresAt: new Date(now.getTime() + UNUSED_CLIENT_MS),
    });
    const registered = {
      client_id: clientId,
      client_id_issued_at: Math.floor(now.getTime() / 1000),
      client_name: name,
      redirect_uris: redirectUris,
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    };
    return json(registered, 201);
  });
}

function readMetadata(body: Buffer): { redirectUris: string[]; name: string } {
  let given: unknown;
  try {
    given = parseJsonBytes(body);
  } catch (error) {
    if (error instanceof AppError) throw new ProtocolError("invalid_client_metadata", error.message);
    throw error;
  }
  const { data } = OAuthClientMetadataSchema.safeParse(given);
  if (!data) throw new ProtocolError("invalid_client_metadata", "Send client metadata with redirect_uris.");
  const redirectUris = data.redirect_uris;
  const fits = redirectUris.length > 0 && redirectUris.length <= REDIRECT_URIS_MAX;
  if (!fits || !redirectUris.every((uri) => uri.length <= REDIRECT_URI_CHARS_MAX && isRedirectUri(uri))) {
    throw new ProtocolError(
      "invalid_redirect_uri",
      `Send 1 to ${REDIRECT_URIS_MAX} redirect URIs: https, http on localhost, or a scheme of the client.`,
    );
  }
  return { redirectUris, name: toShownName(data.client_name) };
}

/**
 * Anyone chooses this name, and people read it: characters that hide or reorder text are dropped, and so are marks that
 * pile up over other lines.
 */
function toShownName(given = ""): string {
  const visible = given.replace(/[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu, "").trim();
  const name = visible.replace(/(\p{M}{3})\p{M}+/gu, "$1");
  return [...(name || "Unnamed client")].slice(0, NAME_CHARS_MAX).join("");
}

/** A valid authorization request, as the consent page shows it. */
type Asked = { client: OAuthClientDoc; redirectUri: string; challenge: string; scopes: Scope[] };
type Checked =
  /** The client or its address is invalid: nothing is sent there. */
  | { kind: "refused"; message: string }
  | { kind: "returned"; redirectTo: string; message: string }
  | ({ kind: "asked" } & Asked);

/** Checks an authorization request. The address of the client is verified before anything is sent to it. */
export async function checkAuthorization(given: AuthorizationParameters, now = new Date()): Promise<Checked> {
  const client = await findClient(given.client_id, now);
  if (!client) return { kind: "refused", message: "Unknown client. Connect it again from the app." };
  const redirectUri = given.redirect_uri ?? (client.redirectUris.length === 1 ? client.redirectUris[0] : undefined);
  if (redirectUri === undefined || !client.redirectUris.some((uri) => isSameRedirectUri(uri, redirectUri))) {
    return { kind: "refused", message: "The client did not register this return address." };
  }
  const refuse = (error: string, message: string): Checked => ({
    kind: "returned",
    redirectTo: toReturn(redirectUri, given.state, { error, error_description: message }),
    message,
  });
  if (given.response_type !== "code") return refuse("unsupported_response_type", "Use response_type=code.");
  const challenge = given.code_challenge ?? "";
  if (given.code_challenge_method !== "S256" || !/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    return refuse("invalid_request", "Send a PKCE code_challenge with code_challenge_method=S256.");
  }
  if (!isOurResource(given.resource)) return refuse("invalid_target", "The resource is not this server's MCP address.");
  const asked = given.scope?.split(" ").filter(Boolean) ?? [...SCOPES];
  const unknown = asked.find((scope) => !SCOPES.some((each) => each === scope));
  if (unknown !== undefined) return refuse("invalid_scope", `Scopes are ${SCOPES.join(", ")}.`);
  const scopes = SCOPES.filter((scope) => scope === "read" || asked.includes(scope));
  return { kind: "asked", client, redirectUri, challenge, scopes };
}

/** Returns the only resource's address as valid when it is left out: old clients do so. */
function isOurResource(given: string | null | undefined): boolean {
  return given === undefined || given === null || given.replace(/\/$/, "") === protectedResource().resource;
}

function findClient(clientId: string | undefined, now: Date): Promise<OAuthClientDoc | null> {
  if (clientId === undefined) return Promise.resolve(null);
  return collections.oauthClients().findOne({ clientId, expiresAt: { $gt: now } });
}

function toReturn(redirectUri: string, state: string | undefined, values: Record<string, string>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...values, ...(state && { state }), iss: env().publicUrl })) {
    url.searchParams.set(name, value);
  }
  return url.href;
}

/**
 * Records a person's decision, and returns the address of the client with a code or an error.
 * @throws AppError `invalid_request` for a request that the consent page would not show, `forbidden` for a workspace
 *   that is not theirs, `rate_limited`
 */
export async function decideAuthorization(
  person: UserCaller<BySession>,
  { request, workspaceId, scopes, isAllowed }: AuthorizationDecisionBody,
  now = new Date(),
): Promise<AuthorizationDecision> {
  const caller = await enterWorkspace(person, new ObjectId(workspaceId));
  const checked = await checkAuthorization(request, now);
  if (checked.kind === "refused") throw new AppError("invalid_request", checked.message);
  if (checked.kind === "returned") return { redirectTo: checked.redirectTo };
  const { client, redirectUri, challenge } = checked;
  if (!isAllowed) return { redirectTo: toReturn(redirectUri, request.state, { error: "access_denied" }) };
  await consume("oauthConsent", caller.user._id.toHexString());
  const granted = checked.scopes.filter((scope) => scope === "read" || scopes.includes(scope));
  const code = newToken();
  const ends = new Date(now.getTime() + UNUSED_MS);
  const identity = { workspaceId: caller.workspaceId, userId: caller.user._id, clientId: client.clientId };
  const { name } = client;
  await inTransaction(async (session) => {
    // A new consent replaces the earlier one, whose tokens may have other scopes.
    await deleteApps(identity, session);
    const appId = new ObjectId();
    const app = { name, host: hostOf(redirectUri), scopes: granted, createdAt: now, lastUsedAt: null, expiresAt: ends };
    await collections.connectedApps().insertOne({ _id: appId, ...identity, ...app }, { session });
    const issued = { ...identity, appId, scopes: granted, redirectUri, challenge };
    await collections.oauthTokens().insertOne(toToken("code", code, issued, now), { session });
    await collections
      .oauthClients()
      .updateOne(
        { clientId: client.clientId },
        { $max: { expiresAt: new Date(ends.getTime() + DAY_MS) } },
        { session },
      );
  });
  return { redirectTo: toReturn(redirectUri, request.state, { code }) };
}

const LIFETIME_MS = { code: CODE_MS, access: ACCESS_MS, refresh: UNUSED_MS } as const;
const REFRESH_TOKEN_PREFIX = "mf_";
type Issued = Pick<OAuthTokenDoc, "appId" | "workspaceId" | "userId" | "clientId" | "scopes"> &
  Partial<Pick<OAuthTokenDoc, "redirectUri" | "challenge">>;

function toToken(kind: OAuthTokenDoc["kind"], token: string, issued: Issued, now: Date): OAuthTokenDoc {
  const expiresAt = new Date(now.getTime() + LIFETIME_MS[kind]);
  const deleteAt = kind === "code" ? new Date(now.getTime() + REUSE_KNOWN_MS) : expiresAt;
  return { _id: new ObjectId(), hash: hashToken(token), kind, ...issued, expiresAt, deleteAt, usedAt: null };
}

/** Deletes apps with their tokens: access ends with the next request. */
export async function deleteApps(
  match: { workspaceId: ObjectId; _id?: ObjectId; userId?: ObjectId; clientId?: string },
  session: ClientSession,
): Promise<number> {
  const apps = await collections
    .connectedApps()
    .find(match, { session, projection: { _id: 1 } })
    .toArray();
  if (apps.length === 0) return 0;
  const { workspaceId } = match;
  const ids = apps.map(({ _id }) => _id);
  await collections.oauthTokens().deleteMany({ workspaceId, appId: { $in: ids } }, { session });
  await collections.connectedApps().deleteMany({ workspaceId, _id: { $in: ids } }, { session });
  return ids.length;
}

const KIND_OF_GRANT = new Map<string, "code" | "refresh">([
  ["authorization_code", "code"],
  ["refresh_token", "refresh"],
]);
type Redeemed = Pick<OAuthTokenDoc, "hash" | "kind" | "clientId">;

/**
 * Exchanges a code or a refresh token (RFC 6749, 4.1.3 and 6). Each works once; a second use ends the app's access,
 * since one of the two users stole it.
 */
export function issueTokens(request: Request, address: string | null, now = new Date()): Promise<Response> {
  return answer(async () => {
    await consume("oauthToken", addressSubject(address));
    const form = await readForm(request);
    const client = await findClient(form.get("client_id") ?? undefined, now);
    if (!client) throw new ProtocolError("invalid_client", "Unknown client. Register it again.");
    if (!isOurResource(form.get("resource"))) throw new ProtocolError("invalid_target", "Unknown resource.");
    const kind = KIND_OF_GRANT.get(form.get("grant_type") ?? "");
    if (!kind) {
      throw new ProtocolError("unsupported_grant_type", "Use authorization_code or refresh_token.");
    }
    const given = form.get(kind === "code" ? "code" : "refresh_token") ?? "";
    const match: Redeemed = { hash: hashToken(given), kind, clientId: client.clientId };
    const known = kind === "refresh" && (await collections.oauthTokens().findOne(match, { projection: { appId: 1 } }));
    if (known) await consume("oauthRefresh", known.appId.toHexString());
    const issued = await inTransaction(async (session) => {
      const used = await collections
        .oauthTokens()
        .findOneAndUpdate(
          { ...match, usedAt: null, expiresAt: { $gt: now } },
          { $set: { usedAt: now, deleteAt: new Date(now.getTime() + REUSE_KNOWN_MS) } },
          { session },
        );
      if (!used) return null;
      // The code stays used when its proof fails: its sender does not get a second attempt.
      if (kind === "code" && !provesCode(used, form)) return "unproven";
      return replace(used, form.get("scope"), session, now);
    });
    if (issued === null) await endReused(match);
    if (issued === null || issued === "unproven") {
      throw new ProtocolError("invalid_grant", "The code or token is invalid, expired or used. Sign in again.");
    }
    return json(issued);
  });
}

function provesCode({ redirectUri = "", challenge = "" }: OAuthTokenDoc, form: URLSearchParams): boolean {
  const proof = createHash("sha256")
    .update(form.get("code_verifier") ?? "")
    .digest("base64url");
  const isProven = proof.length === challenge.length && timingSafeEqual(Buffer.from(proof), Buffer.from(challenge));
  return isProven && (form.get("redirect_uri") ?? redirectUri) === redirectUri;
}

/** Issues the next pair of tokens. @throws ProtocolError for a scope that was not granted */
async function replace(used: OAuthTokenDoc, scope: string | null, session: ClientSession, now: Date) {
  const { appId, workspaceId, userId, clientId, scopes } = used;
  const ends = new Date(now.getTime() + UNUSED_MS);
  const { matchedCount } = await collections
    .connectedApps()
    .updateOne({ _id: appId, workspaceId }, { $set: { expiresAt: ends } }, { session });
  if (matchedCount === 0) return null;
  const asked = scope?.split(" ").filter(Boolean) ?? scopes;
  if (!asked.every((each) => scopes.some((granted) => granted === each))) {
    throw new ProtocolError("invalid_scope", `Granted scopes are ${scopes.join(" ")}.`);
  }
  const narrowed = scopes.filter((each) => asked.includes(each));
  const [access, refresh] = [`${ACCESS_TOKEN_PREFIX}${newToken()}`, `${REFRESH_TOKEN_PREFIX}${newToken()}`];
  const issued = { appId, workspaceId, userId, clientId };
  await collections
    .oauthTokens()
    .insertMany(
      [
        toToken("access", access, { ...issued, scopes: narrowed }, now),
        toToken("refresh", refresh, { ...issued, scopes }, now),
      ],
      { session },
    );
  await collections
    .oauthClients()
    .updateOne({ clientId }, { $max: { expiresAt: new Date(ends.getTime() + DAY_MS) } }, { session });
  return {
    access_token: access,
    token_type: "Bearer",
    expires_in: ACCESS_MS / 1000,
    refresh_token: refresh,
    scope: narrowed.join(" "),
  };
}

async function endReused(match: Redeemed): Promise<void> {
  const reused = await collections.oauthTokens().findOne({ ...match, usedAt: { $ne: null } });
  if (!reused) return;
  await inTransaction((session) => deleteApps({ workspaceId: reused.workspaceId, _id: reused.appId }, session));
}

/** Revokes a token (RFC 7009). A refresh token ends the app's access; an unknown token is answered alike. */
export function revokeToken(request: Request, address: string | null): Promise<Response> {
  return answer(async () => {
    await consume("oauthToken", addressSubject(address));
    const form = await readForm(request);
    const match = { hash: hashToken(form.get("token") ?? ""), clientId: form.get("client_id") ?? "" };
    const found = await collections.oauthTokens().findOne(match);
    if (found?.kind === "refresh") {
      await inTransaction((session) => deleteApps({ workspaceId: found.workspaceId, _id: found.appId }, session));
    } else if (found) {
      await collections.oauthTokens().deleteOne({ _id: found._id, workspaceId: found.workspaceId });
    }
    return json({});
  });
}

/** @throws ProtocolError for a field that is sent twice (RFC 6749, 3.2) */
async function readForm(request: Request): Promise<URLSearchParams> {
  const form = new URLSearchParams((await readRawBody(request, BODY_LIMITS.auth)).toString("utf8"));
  const names = [...form.keys()];
  if (new Set(names).size < names.length) throw new ProtocolError("invalid_request", "Send each parameter once.");
  return form;
}
