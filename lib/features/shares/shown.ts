import "server-only";
import { databaseReady } from "@/lib/platform/db/ready";
import { AppError } from "@/lib/platform/http/errors";
import { sharedState } from "@/lib/platform/process/shared-state";
import type { ShareDoc, Shared } from "./model";
import type { ShownShare } from "./schema";
import { getOpenShareOrThrow, noSuchShare } from "./service";
import { needsPassword } from "./unlock";
import { admitVisitor } from "./visits";

/** What a stranger is told of something shared. `pictureId` names its preview picture as it is now; null for none. */
export type Shown = { title: string; description: string; pictureId: string | null };
/** Finds it; null when it is not there any more. */
export type FindShown = (share: Pick<ShareDoc, "workspaceId" | "resourceId">) => Promise<Shown | null>;

const handed = () => sharedState("shares.shown", () => ({ finders: null as Record<Shared["kind"], FindShown> | null }));

/** Once, when the process starts: what can be shared stands above shares. */
export function handInShown(finders: Record<Shared["kind"], FindShown>): void {
  handed().finders = finders;
}

/** What a link leads to. @throws AppError `not_found`, `rate_limited` */
export async function describeShare(token: string, headers: Headers): Promise<ShownShare> {
  await admitVisitor(headers);
  const share = await getOpenShareOrThrow(token);
  const { title, description } = await shownOrThrow(share);
  return { kind: share.kind, title, description, needsPassword: needsPassword(share, headers) };
}

/** What the page of a link says before anybody opens it. */
export type SharePage = Pick<ShownShare, "kind" | "title" | "description"> & {
  /** Whether its picture may be seen by whoever meets the link: it has one, and no password. */
  hasPicture: boolean;
};

/** The same for the page of the link; null where it leads to nothing. */
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
