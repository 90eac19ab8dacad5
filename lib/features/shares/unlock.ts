import "server-only";
import { createHmac, timingSafeEqual } from "node:crypto";
import { inLineForHashing, verifyPassword } from "@/lib/features/accounts/passwords";
import { consume, giveBack } from "@/lib/platform/access/rate-limit";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { deriveKey } from "@/lib/platform/secrets/bootstrap";
import type { ShareDoc } from "./model";
import { getOpenShareOrThrow } from "./service";
import { admitVisitor, visitorOf } from "./visits";

const COOKIE = "millrace_share";
/** A working day; a wall screen is unlocked each morning. */
const UNLOCKED_HOURS = 12;

/**
 * Unlocks a share for this browser.
 * @returns the Set-Cookie value, limited to the share's own paths
 * @throws AppError `not_found`; `unauthenticated` for a wrong password; `rate_limited` after ten of them in 15 minutes
 * for this share, or a hundred from this address for all shares
 */
export async function unlockShare(
  token: string,
  password: string,
  headers: Headers,
  now = new Date(),
): Promise<string> {
  await admitVisitor(headers);
  return inLineForHashing(async () => {
    const share = await getOpenShareOrThrow(token, now);
    if (share.passwordHash !== null) {
      const [subject, address] = [share._id.toHexString(), visitorOf(headers)];
      // A visitor over their own limit must not use up the share's limit.
      await consume("shareUnlockAddress", address);
      await consume("shareUnlock", subject);
      if (!(await verifyPassword(share.passwordHash, password))) {
        throw new AppError("unauthenticated", "Wrong password.");
      }
      // A successful attempt does not count.
      await Promise.all([giveBack("shareUnlock", subject), giveBack("shareUnlockAddress", address)]);
    }
    return toCookie(share, token, now);
  });
}

/**
 * Returns the share of a link, once it is unlocked.
 * @throws AppError `not_found`; `unauthenticated` when it still needs its password; `rate_limited`
 */
export async function enterShare(token: string, headers: Headers, now = new Date()): Promise<ShareDoc> {
  await admitVisitor(headers);
  const share = await getOpenShareOrThrow(token, now);
  if (needsPassword(share, headers, now)) {
    throw new AppError("unauthenticated", "Password required.");
  }
  return share;
}

/** Returns whether a browser must unlock the share first. */
export function needsPassword(share: ShareDoc, headers: Headers, now = new Date()): boolean {
  if (share.passwordHash === null) return false;
  const [until = "", mac = ""] = (cookieOf(headers.get("cookie")) ?? "").split(".");
  if (!(Number(until) > now.getTime())) return true;
  const [given, right] = [Buffer.from(mac, "base64url"), macOf(share, until)];
  return given.length !== right.length || !timingSafeEqual(given, right);
}

function toCookie(share: ShareDoc, token: string, now: Date): string {
  const seconds = UNLOCKED_HOURS * 60 * 60;
  const until = String(now.getTime() + seconds * 1000);
  const value = `${until}.${macOf(share, until).toString("base64url")}`;
  const isSecure = env().publicUrl.startsWith("https:");
  // Only a partitioned cookie is sent in a frame of another site; it is kept separately for each of those sites.
  const reach =
    isSecure && share.embed ? "SameSite=None; Secure; Partitioned" : `SameSite=Lax${isSecure ? "; Secure" : ""}`;
  return `${COOKIE}=${value}; Path=/api/share/${token}; Max-Age=${seconds}; HttpOnly; ${reach}`;
}

/** Signs the share, its password and the expiry: any server can verify it without a lookup. */
function macOf({ _id, passwordId }: ShareDoc, until: string): Buffer {
  const said = [_id.toHexString(), passwordId.toHexString(), until].join(".");
  return createHmac("sha256", deriveKey("share unlock")).update(said).digest();
}

function cookieOf(header: string | null): string | null {
  for (const pair of header?.split(";") ?? []) {
    const [name, ...value] = pair.trim().split("=");
    if (name === COOKIE) return value.join("=");
  }
  return null;
}
