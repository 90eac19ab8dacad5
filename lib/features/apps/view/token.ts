import "server-only";
import { createHmac, timingSafeEqual } from "node:crypto";
import { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { deriveKey } from "@/lib/platform/secrets/bootstrap";

/** Long enough for a slow page, short enough for an address that someone else has seen. */
export const TOKEN_MS = 15 * 60_000;
const ID_BYTES = 12;
const TIME_BYTES = 6;
const MAC_BYTES = 32;
const NOBODY = "0".repeat(ID_BYTES * 2);

/** Rights of a token's holder: one deployment of one app, and its data as this user sees it. */
export type ViewPass = {
  workspaceId: ObjectId;
  appId: ObjectId;
  deploymentId: ObjectId;
  /** User with whose rights data is read; null for visitors with a link. */
  viewerId: ObjectId | null;
  /** Share that it was issued for; the token ends with the share. */
  shareId: ObjectId | null;
  expiresAt: Date;
};

/** Signs a pass. Any server can verify it without a lookup, so several tokens may be valid at once. */
export function toViewToken(pass: ViewPass): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUIntBE(pass.expiresAt.getTime(), 0, TIME_BYTES);
  const ids = [pass.workspaceId, pass.appId, pass.deploymentId, pass.viewerId, pass.shareId];
  const payload = Buffer.concat([...ids.map((id) => Buffer.from(id?.toHexString() ?? NOBODY, "hex")), time]);
  return `${payload.toString("base64url")}.${macOf(payload).toString("base64url")}`;
}

/** Verifies a token. @throws AppError unauthenticated: the same for a forged, malformed or expired one */
export function readViewToken(token: string, now = new Date()): ViewPass {
  const [text = "", sign = "", ...more] = token.split(".");
  const [payload, mac] = [Buffer.from(text, "base64url"), Buffer.from(sign, "base64url")];
  const isForm = more.length === 0 && payload.length === ID_BYTES * 5 + TIME_BYTES && mac.length === MAC_BYTES;
  // Base64 has several spellings of one text; only the canonical one is accepted.
  const isSpelt = payload.toString("base64url") === text && mac.toString("base64url") === sign;
  if (!isForm || !isSpelt || !timingSafeEqual(mac, macOf(payload))) throw badToken();
  const id = (n: number) => new ObjectId(payload.subarray(n * ID_BYTES, (n + 1) * ID_BYTES));
  const idOrNull = (n: number) => (id(n).toHexString() === NOBODY ? null : id(n));
  const expiresAt = new Date(payload.readUIntBE(ID_BYTES * 5, TIME_BYTES));
  if (expiresAt <= now) throw badToken();
  return {
    workspaceId: id(0),
    appId: id(1),
    deploymentId: id(2),
    viewerId: idOrNull(3),
    shareId: idOrNull(4),
    expiresAt,
  };
}

function macOf(payload: Buffer): Buffer {
  return createHmac("sha256", deriveKey("app view")).update(payload).digest();
}

function badToken(): AppError {
  return new AppError("unauthenticated", "This app link has expired. Reload the page.");
}
