import "server-only";
import { ObjectId } from "mongodb";
import { SESSION_COOKIE } from "@/lib/platform/access/session-cookie";
import { env } from "@/lib/platform/env";
import { collections } from "./collections";
import type { SessionDoc } from "./model";
import { hashToken, newToken } from "./tokens";

const DAY_MS = 24 * 60 * 60 * 1000;
/**
 * Session lifetimes (docs/develop/api.md, Accounts): 30 days, renewed when less than half is left, at most 180 days.
 */
export const SESSION_IDLE_MS = 30 * DAY_MS;
export const SESSION_ABSOLUTE_MS = 180 * DAY_MS;

/** Real ones are shorter, and the list of a user's sessions shows no more than this. */
const USER_AGENT_MAX = 300;

/** Origin of a request that creates a session. */
export type SessionOrigin = Pick<SessionDoc, "userAgent" | "address">;

/** Creates a session. Returns its token, and the Set-Cookie value that sets it. */
export async function openSession(
  userId: string,
  from: SessionOrigin,
  now = new Date(),
): Promise<{ token: string; setCookie: string }> {
  const token = newToken();
  const expires = new Date(now.getTime() + SESSION_IDLE_MS);
  await storeSession({ userId, token, expires, createdAt: now }, from);
  return { token, setCookie: sessionCookie(token, expires, now) };
}

/** Stores a session. The database only ever sees the hash of its token (T10). */
export async function storeSession(
  { userId, token, expires, createdAt }: { userId: string; token: string; expires: Date; createdAt: Date },
  { userAgent, address }: SessionOrigin,
): Promise<void> {
  await collections.sessions().insertOne({
    _id: new ObjectId(),
    userId: new ObjectId(userId),
    sessionToken: hashToken(token),
    expires,
    createdAt,
    userAgent: userAgent?.slice(0, USER_AGENT_MAX) ?? null,
    address,
  });
}

/** Ends the session of this token; an unknown token is not an error. */
export async function closeSession(token: string): Promise<void> {
  await collections.sessions().deleteOne({ sessionToken: hashToken(token) });
}

/**
 * Returns the renewed expiry of a session; null while more than half of its time is left or its absolute lifetime is
 * used up.
 */
export function renewedExpiry(session: { createdAt: Date; expires: Date }, now: Date): Date | null {
  if (session.expires.getTime() - now.getTime() > SESSION_IDLE_MS / 2) return null;
  const renewed = Math.min(now.getTime() + SESSION_IDLE_MS, session.createdAt.getTime() + SESSION_ABSOLUTE_MS);
  return renewed > session.expires.getTime() ? new Date(renewed) : null;
}

/** Stores the new expiry and returns the Set-Cookie value for the browser. */
export async function renewSession(
  sessionId: ObjectId,
  token: string,
  expires: Date,
  now = new Date(),
): Promise<string> {
  await collections.sessions().updateOne({ _id: sessionId, sessionToken: hashToken(token) }, { $set: { expires } });
  return sessionCookie(token, expires, now);
}

export function sessionCookie(token: string, expires: Date, now: Date): string {
  const maxAge = Math.max(0, Math.floor((expires.getTime() - now.getTime()) / 1000));
  return `${SESSION_COOKIE}=${token}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secureSuffix()}`;
}

export function clearedSessionCookie(): string {
  return `${SESSION_COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${secureSuffix()}`;
}

/** Returns a Cookie header without the session; null if nothing is left. */
export function withoutSessionToken(cookieHeader: string | null): string | null {
  const others = (cookieHeader ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "" && pair.split("=")[0] !== SESSION_COOKIE);
  return others.join("; ") || null;
}

/** Returns the session token in a Cookie header, or null. */
export function sessionTokenOf(cookieHeader: string | null): string | null {
  for (const pair of cookieHeader?.split(";") ?? []) {
    const [name, ...value] = pair.trim().split("=");
    if (name === SESSION_COOKIE) return value.join("=") || null;
  }
  return null;
}

/**
 * Returns the cookie's Secure attribute for https, where it is never sent in the clear; a plain-http address could not
 * use it (T9).
 */
function secureSuffix(): string {
  return env().publicUrl.startsWith("https:") ? "; Secure" : "";
}
