import "server-only";
import { NextRequest } from "next/server";
import NextAuth, { customFetch, type NextAuthConfig } from "next-auth";
import GitHub from "next-auth/providers/github";
import Google from "next-auth/providers/google";
import { hasAccounts } from "@/lib/features/users/service";
import { SESSION_COOKIE } from "@/lib/platform/access/session-cookie";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { remoteAddress } from "@/lib/platform/http/remote-address";
import { log } from "@/lib/platform/log";
import { fetchThrough } from "@/lib/platform/net/fetch-through";
import { deriveKey } from "@/lib/platform/secrets/bootstrap";
import { authAdapter, type SessionOrigin } from "./adapter";
import { collections } from "./collections";
import { closeSession, SESSION_IDLE_MS, sessionTokenOf, withoutSessionToken } from "./session";
import { isAdmitted } from "./sign-up";
import { newToken } from "./tokens";

export type SignInProvider = "github" | "google";

const GITHUB_API = "https://api.github.com";
/** Page for a user whom SIGN_UP does not admit. */
const SIGN_UP_CLOSED = "/login?error=SignUpClosed";
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
 * @throws AppError `not_found` for a provider that is not set up
 */
export async function serveOAuth(request: Request, provider: string | null): Promise<Response> {
  const configured = signInProviders();
  const isKnown = provider === null ? configured.length > 0 : configured.some((name) => name === provider);
  if (!isKnown) throw new AppError("not_found", "This way of signing in is not set up here.");
  const { headers } = request;
  const from = { userAgent: headers.get("user-agent"), address: remoteAddress(headers, env().TRUST_PROXY) };
  const { handlers } = NextAuth(config(from));
  const response = await handlers[request.method === "POST" ? "POST" : "GET"](toCanonical(request));
  const previous = sessionTokenOf(headers.get("cookie"));
  // The browser has just received another session, so no one holds the old one (T8).
  if (previous && setsSession(response)) await closeSession(previous);
  return response;
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

function config(from: SessionOrigin): NextAuthConfig {
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
    logger: { error: logFailure, warn: () => undefined, debug: () => undefined },
  };
}

/**
 * Logs the reason of a failed sign-in for the operator; users are only told that it failed. next-auth's logger would
 * write the provider's answers too.
 */
function logFailure(error: Error): void {
  const { cause } = error;
  const err = typeof cause === "object" && cause !== null && "err" in cause ? cause.err : error;
  log.warn({ err, reason: "type" in error ? error.type : error.name }, "a sign-in by a provider failed");
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
    if (!answer.ok) throw new Error(`GitHub answered ${answer.status}.`);
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
