import "server-only";
import { databaseReady } from "@/lib/platform/db/ready";
import { AppError } from "@/lib/platform/http/errors";
import { serverMember } from "@/lib/platform/process/server-context";
import type { ShareDoc, Shared } from "./model";
import type { ShownShare } from "./schema";
import { getOpenShareOrThrow, noSuchShare } from "./service";
import { needsPassword } from "./unlock";
import { admitVisitor } from "./visits";

/** Public description of a shared item. `pictureId` names its current preview picture; null for none. */
export type Shown = { title: string; description: string; pictureId: string | null };
/** Returns the description; null when the item no longer exists. */
export type FindShown = (share: Pick<ShareDoc, "workspaceId" | "resourceId">) => Promise<Shown | null>;

const handed = serverMember("shownFinders", () => ({ finders: null as Record<Shared["kind"], FindShown> | null }));

/** Called once at process start: shareable domains depend on shares, not the reverse. */
export function handInShown(finders: Record<Shared["kind"], FindShown>): void {
  handed().finders = finders;
}

/** Returns the public description of a link. @throws AppError `not_found`, `rate_limited` */
export async function describeShare(token: string, headers: Headers): Promise<ShownShare> {
  await admitVisitor(headers);
  const share = await getOpenShareOrThrow(token);
  const { title, description } = await shownOrThrow(share);
  return { kind: share.kind, title, description, needsPassword: needsPassword(share, headers) };
}

/** Metadata of a link's page, before anyone opens it. */
export type SharePage = Pick<ShownShare, "kind" | "title" | "description"> & {
  /** True when the item has a preview picture and the share has no password. */
  hasPicture: boolean;
};

/** Returns the metadata of a link's page; null when the link is invalid. */
export async function describeSharePage(token: string): Promise<SharePage | null> {
  await databaseReady();
  try {
    const share = await getOpenShareOrThrow(token);
    const { title, description, pictureId } = await shownOrThrow(share);
    return { kind: share.kind, title, description, hasPicture: pictureId !== null && share.passwordHash === null };
  } catch (error) {
    if (error instanceof AppError && error.kind === "not_found") return null;
    throw error;
  }
}

async function shownOrThrow(share: ShareDoc): Promise<Shown> {
  const shown = await handed().finders?.[share.kind](share);
  if (!shown) throw noSuchShare();
  return shown;
}
