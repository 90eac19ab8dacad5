import "server-only";
import { MongoDBAdapter } from "@auth/mongodb-adapter";
import { ObjectId } from "mongodb";
import { NextRequest } from "next/server";
import NextAuth, { customFetch, type NextAuthConfig } from "next-auth";
import type { Adapter } from "next-auth/adapters";
import GitHub from "next-auth/providers/github";
import Google from "next-auth/providers/google";
import { USER_NAME_MAX } from "@/lib/features/users/limits";
import type { UserDoc } from "@/lib/features/users/model";
import { hasAccounts, insertUser, usersCollectionName } from "@/lib/features/users/service";
import { beginWorkspace } from "@/lib/features/workspaces/beginning";
import { discardWorkspace } from "@/lib/features/workspaces/service";
import { SESSION_COOKIE } from "@/lib/platform/access/session-cookie";
import { isStoreAway } from "@/lib/platform/db/away";
import { database, mongoClient } from "@/lib/platform/db/client";
import { inTransaction } from "@/lib/platform/db/transaction";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { remoteAddress } from "@/lib/platform/http/remote-address";
import { STORE_RETRY_AFTER_SECONDS } from "@/lib/platform/http/to-app-error";
import { log } from "@/lib/platform/log";
import { fetchThrough } from "@/lib/platform/net/fetch-through";
import { deriveKey } from "@/lib/platform/secrets/bootstrap";
import { collections } from "./collections";
import { createFirstWorkspace, nameFromEmail } from "./first-workspace";
import {
  closeSession,
  SESSION_IDLE_MS,
  type SessionOrigin,
  sessionTokenOf,
  storeSession,
  withoutSessionToken,
} from "./session";
import { isAdmitted, requireSignUp } from "./sign-up";
import { newToken } from "./tokens";

/*
 * All of next-auth: the redirect to a provider and its callback. Passwords, sessions, roles and pages are the product's
 * own. The version is a beta, the first that supports the App Router and version 7 of the database's driver; nothing
 * outside of this file depends on it. Its adapter gets the product's driver (`overrides` in package.json).
 */

export type SignInProvider = "github" | "google";

const GITHUB_API = "https://api.github.com";
/** Page for a user whom SIGN_UP does not admit. */
const SIGN_UP_CLOSED = "/login?error=SignUpClosed";
/** Page for a user whose sign-in found no store. */
const INTERRUPTED = "/login?error=Unavailable";
/** session.ts renews sessions: next-auth's renewal must never apply. */
const NEVER_SECONDS = 10 * 365 * 24 * 60 * 60;
/** Both bind the callback to the browser that started the sign-in, whichever of them a provider supports (T13). */
const CHECKS: ("pkce" | "state")[] = ["pkce", "state"];

/** Returns the configured providers; the sign-in page shows a button for each. */
export function signInProviders(): SignInProvider[] {
  const settings = env();
  const isSet: Record<SignInProvider, boolean> = {
    github: Boolean(settings.GITHUB_CLIENT_ID && settings.GITHUB_CLIENT_SECRET),
    google: Boolean(settings.GOOGLE_CLIENT_ID && settings.GOOGLE_CLIENT_SECRET),
  };
  return (Object.keys(isSet) as SignInProvider[]).filter((provider) => isSet[provider]);
}

/**
 * Passes a request to next-auth: its CSRF token, the redirect to a provider and the callback (docs/develop/api.md,
 * Accounts). Nothing else of next-auth is reachable.
 * @throws AppError `not_found` for a provider that is not set up; the driver's error while the store is unreachable
 */
export async function serveOAuth(request: Request, provider: string | null): Promise<Response> {
  const configured = signInProviders();
  const isKnown = provider === null ? configured.length > 0 : configured.some((name) => name === provider);
  if (!isKnown) throw new AppError("not_found", "This sign-in method is not configured.");
  const { headers } = request;
  const from = { userAgent: headers.get("user-agent"), address: remoteAddress(headers, env().TRUST_PROXY) };
  const failures: unknown[] = [];
  const { handlers } = NextAuth(config(from, (failure) => failures.push(failure)));
  const response = await handlers[request.method === "POST" ? "POST" : "GET"](toCanonical(request));
  // next-auth would redirect to the sign-in page, as if the provider had failed.
  const away = failures.find(isStoreAway);
  if (away && isNavigation(request)) return toInterrupted();
  if (away) throw away;
  const previous = sessionTokenOf(headers.get("cookie"));
  // The browser has just received another session, so no one holds the old one (T8).
  if (previous && setsSession(response)) await closeSession(previous);
  return response;
}

/** Returns whether a browser shows the response as a page. */
function isNavigation({ method, headers }: Request): boolean {
  return method === "GET" && headers.get("accept")?.includes("text/html") === true;
}

/**
 * Redirects to the sign-in page, which says what to do. The provider's code is used up, so the callback can't be
 * repeated. The page itself is answered with 503 until the store is back.
 */
function toInterrupted(): Response {
  return new Response(null, {
    status: 302,
    headers: { Location: `${env().publicUrl}${INTERRUPTED}`, "Retry-After": String(STORE_RETRY_AFTER_SECONDS) },
  });
}

/**
 * Returns the request as next-auth may see it. Addresses of the flow use PUBLIC_URL alone, not the request's host
 * (T109). The session is left out: next-auth would link the provider to the signed-in account without asking
 * (our choice: a provider's account only ever opens the user that it created).
 */
function toCanonical(request: Request): NextRequest {
  const { pathname, search } = new URL(request.url);
  const headers = new Headers(request.headers);
  headers.delete("cookie");
  const cookie = withoutSessionToken(request.headers.get("cookie"));
  if (cookie) headers.set("cookie", cookie);
  const { method, body } = request;
  return new NextRequest(`${env().publicUrl}${pathname}${search}`, {
    method,
    headers,
    ...(body && { body, duplex: "half" }),
  });
}

/** Admits existing accounts; new ones must meet SIGN_UP. */
async function mayEnter(account: { provider: string; providerAccountId: string }, email: string): Promise<boolean> {
  const known = await collections.accounts().findOne({
    provider: account.provider,
    providerAccountId: account.providerAccountId,
  });
  if (known || !(await hasAccounts())) return true;
  return isAdmitted({ email: email.trim().toLowerCase(), inviteToken: null, isVerified: true });
}

function setsSession(response: Response): boolean {
  return response.headers.getSetCookie().some((cookie) => cookie.startsWith(`${SESSION_COOKIE}=`));
}

function config(from: SessionOrigin, onFailure: (error: unknown) => void): NextAuthConfig {
  const isSecure = env().publicUrl.startsWith("https:");
  return {
    adapter: authAdapter(from),
    basePath: "/api/auth",
    secret: deriveKey("next-auth").toString("base64url"),
    trustHost: true,
    providers: providers(),
    session: {
      strategy: "database",
      maxAge: SESSION_IDLE_MS / 1000,
      updateAge: NEVER_SECONDS,
      generateSessionToken: newToken,
    },
    cookies: {
      sessionToken: {
        name: SESSION_COOKIE,
        options: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure },
      },
    },
    pages: { signIn: "/login", error: "/login" },
    callbacks: {
      // A new object: the given one contains the token and the complete user.
      session: ({ session, user }) => ({ expires: session.expires, user: { id: user.id, name: user.name } }),
      redirect: ({ url }) => ownAddress(url),
      signIn: async ({ account, profile }) => {
        const isVerified = account?.provider === "google" ? profile?.email_verified === true : Boolean(profile?.email);
        if (!isVerified || !account || !profile?.email) return false;
        return (await mayEnter(account, profile.email)) || SIGN_UP_CLOSED;
      },
    },
    logger: { error: (error) => onFailure(logFailure(error)), warn: () => undefined, debug: () => undefined },
  };
}

/**
 * Logs the reason of a failed sign-in for the operator; users are only told that it failed. next-auth's logger would
 * write the provider's answers too.
 * @returns the reason
 */
function logFailure(error: Error): unknown {
  const { cause } = error;
  const err = typeof cause === "object" && cause !== null && "err" in cause ? cause.err : error;
  log.warn({ err, reason: "type" in error ? error.type : error.name }, "a provider sign-in failed");
  return err;
}

function providers(): NextAuthConfig["providers"] {
  const settings = env();
  const common = { checks: CHECKS, [customFetch]: fetchThrough("platform") };
  const all: Record<SignInProvider, () => NextAuthConfig["providers"][number]> = {
    github: () => {
      const made = GitHub({
        clientId: settings.GITHUB_CLIENT_ID,
        clientSecret: settings.GITHUB_CLIENT_SECRET,
        // GitHub Enterprise has its API below its web address.
        ...(settings.GITHUB_API_URL !== GITHUB_API && {
          enterprise: { baseUrl: settings.GITHUB_API_URL.replace(/\/api\/v3$/, "") },
        }),
      });
      return {
        ...made,
        ...common,
        userinfo: {
          url: `${settings.GITHUB_API_URL}/user`,
          request: ({ tokens }: { tokens: { access_token?: string } }) => readGitHubProfile(tokens.access_token ?? ""),
        },
      };
    },
    google: () => ({
      ...Google({ clientId: settings.GOOGLE_CLIENT_ID, clientSecret: settings.GOOGLE_CLIENT_SECRET }),
      ...common,
    }),
  };
  return signInProviders().map((name) => all[name]());
}

/** Returns the profile with the address that GitHub has verified; without one there is no email, and no sign-in. */
async function readGitHubProfile(accessToken: string): Promise<Record<string, unknown>> {
  const ask = async (path: string) => {
    const answer = await fetchThrough("platform")(`${env().GITHUB_API_URL}${path}`, {
      headers: { Authorization: `Bearer ${accessToken}`, "User-Agent": "Millrace", Accept: "application/json" },
    });
    if (!answer.ok) throw new Error(`GitHub returned ${answer.status}.`);
    return answer.json();
  };
  const profile = (await ask("/user")) as Record<string, unknown>;
  const emails = (await ask("/user/emails")) as { email: string; primary: boolean; verified: boolean }[];
  const verified = emails.find((each) => each.primary && each.verified) ?? emails.find((each) => each.verified);
  return { ...profile, email: verified?.email ?? null };
}

function ownAddress(url: string): string {
  const { publicUrl } = env();
  const target = URL.parse(url, publicUrl);
  return target?.origin === publicUrl ? target.href : publicUrl;
}

/**
 * Returns next-auth's adapter with these differences: sign-up rules apply to a new user, who gets a first workspace; a
 * new user is stored together with the provider's account, of which only the identity is stored; and sessions are the
 * product's own. Its other methods for sessions are never called, since next-auth sees no session (`toCanonical`).
 * @param from stored with the sessions that it creates
 */
function authAdapter(from: SessionOrigin): Adapter {
  const adapter = MongoDBAdapter(mongoClient(), {
    databaseName: database().databaseName,
    collections: {
      Users: usersCollectionName,
      Accounts: collections.accounts.collectionName,
      Sessions: collections.sessions.collectionName,
      VerificationTokens: collections.verificationTokens.collectionName,
    },
  });
  /** The user that next-auth has created, but whose account it has not linked yet. */
  let newUser: UserDoc | null = null;
  return {
    ...adapter,
    async createUser({ id: _, ...profile }) {
      const email = profile.email.trim().toLowerCase();
      const name = profile.name?.trim().slice(0, USER_NAME_MAX) || nameFromEmail(email);
      newUser = { ...profile, _id: new ObjectId(), email, name, createdAt: new Date() };
      await requireSignUp({ email, inviteToken: null, isVerified: true }, newUser._id);
      return { ...profile, id: newUser._id.toHexString(), email, name };
    },
    getUserByEmail: (email) => call(adapter.getUserByEmail)(email.trim().toLowerCase()),
    async linkAccount({ provider, providerAccountId, type, userId }) {
      // The provider's tokens are no longer needed: a token that is not stored cannot leak (T44).
      const account = { provider, providerAccountId, type, userId: new ObjectId(userId) };
      if (newUser?._id.equals(userId)) await storeNewUser(newUser, account);
      else await collections.accounts().insertOne(account);
    },
    async createSession(session) {
      const { sessionToken: token, userId, expires } = session;
      await storeSession({ userId, token, expires, createdAt: new Date() }, from);
      return session;
    },
  };
}

/**
 * Stores a user with the only way to sign in. As at registration the user is stored after the workspace, so that no
 * account is ever without one.
 */
async function storeNewUser(user: UserDoc, account: { userId: ObjectId; [field: string]: unknown }): Promise<void> {
  const workspace = await createFirstWorkspace(user.name, user._id, user.createdAt);
  try {
    await inTransaction(async (session) => {
      await insertUser(user, session);
      await collections.accounts().insertOne(account, { session });
    });
  } catch (error) {
    await discardWorkspace(new ObjectId(workspace.id)).catch(() => {
      // Documents without a user belong to no one; the first error says more.
    });
    throw error;
  }
  await beginWorkspace(new ObjectId(workspace.id), user);
}

/** The interface declares every method as optional; this adapter has those of the sign-in. */
function call<T>(method: T | undefined): T {
  if (!method) throw new Error("The adapter lacks a method that the sign-in needs.");
  return method;
}
