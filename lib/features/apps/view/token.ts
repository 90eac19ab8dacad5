import "server-only";
import { createHmac, timingSafeEqual } from "node:crypto";
import { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { deriveKey } from "@/lib/platform/secrets/bootstrap";

/** Long enough for a slow page, short enough for an address that was seen by somebody else. */
export const TOKEN_MS = 15 * 60_000;
const ID_BYTES = 12;
const TIME_BYTES = 6;
const MAC_BYTES = 32;
const NOBODY = "0".repeat(ID_BYTES * 2);

/** What a token lets its holder read: one deployment of one app, and its data as this person sees it. */
export type ViewPass = {
  workspaceId: ObjectId;
  appId: ObjectId;
  deploymentId: ObjectId;
  /** Whose rights data is read with; null for whoever has a link. */
  viewerId: ObjectId | null;
  /** The share that it was given out by; it ends with it. */
  shareId: ObjectId | null;
  expiresAt: Date;
};

/** Signs a pass. Any server checks it without asking anybody, so that several may be out at once. */
export function toViewToken(pass: ViewPass): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUIntBE(pass.expiresAt.getTime(), 0, TIME_BYTES);
  const ids = [pass.workspaceId, pass.appId, pass.deploymentId, pass.viewerId, pass.shareId];
  const payload = Buffer.concat([...ids.map((id) => Buffer.from(id?.toHexString() ?? NOBODY, "hex")), time]);
  return `${payload.toString("base64url")}.${macOf(payload).toString("base64url")}`;
}

/** @throws AppError unauthenticated: one answer for what is forged, broken or over */
export function readViewToken(token: string, now = new Date()): ViewPass {
  const [text = "", sign = "", ...more] = token.split(".");
  const [payload, mac] = [Buffer.from(text, "base64url"), Buffer.from(sign, "base64url")];
  const isForm = more.length === 0 && payload.length === ID_BYTES * 5 + TIME_BYTES && mac.length === MAC_BYTES;
  // Base64 has several spellings of one text; ours has one.
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
  return new AppError("unauthenticated", "This address of an app is over. Reload the page that shows it.");
}
