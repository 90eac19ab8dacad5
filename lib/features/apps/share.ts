import "server-only";
import { readBlob } from "@/lib/features/repository/service";
import type { ShareDoc, Shared } from "@/lib/features/shares/model";
import { answerOnce } from "@/lib/features/shares/responses";
import type { Share, ShareBody } from "@/lib/features/shares/schema";
import { dropShare, findShare, getOpenShareOrThrow, noSuchShare, putShare } from "@/lib/features/shares/service";
import type { FindShown } from "@/lib/features/shares/shown";
import { enterShare } from "@/lib/features/shares/unlock";
import { admitVisitor } from "@/lib/features/shares/visits";
import type { Caller } from "@/lib/platform/access/caller";
import { isAtLeast } from "@/lib/platform/access/roles";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import { publishAppEvent } from "./events";
import type { AppDoc } from "./model";
import { toPreview } from "./preview-picture";
import { getAppDocOrThrow } from "./service";
import { findThumbnail } from "./thumbnail";
import type { ViewToken } from "./view/schema";
import { mintFor } from "./view/view";

/** Returns the share of an app; null if it was never shared. @throws AppError `not_found` */
export async function getAppShare(caller: Caller, ref: string): Promise<Share | null> {
  return findShare(sharedOf(await getAppDocOrThrow(caller, ref)));
}

/**
 * Shares an app by a link. Its data becomes public, so only its owner, an admin or an owner of the workspace may share
 * it.
 * @throws AppError `not_found`, `forbidden`; `invalid_request` as `putShare`
 */
export async function putAppShare(caller: Caller, ref: string, body: ShareBody): Promise<Share> {
  const app = await getToShareOrThrow(caller, ref);
  const share = await putShare(caller, sharedOf(app), body);
  publishAppEvent(app);
  return share;
}

/** Deletes the share of an app and its link. @throws AppError `not_found`, `forbidden` */
export async function removeAppShare(caller: Caller, ref: string): Promise<void> {
  const app = await getToShareOrThrow(caller, ref);
  await dropShare(sharedOf(app));
  publishAppEvent(app);
}

/** Returns the data of a shared app that visitors see; null if the app is gone. */
export const findShownApp: FindShown = async (share) => {
  const app = await findSharedApp(share);
  if (!app) return null;
  const picture = await findThumbnail(app);
  return { title: app.title, description: app.description, pictureId: picture?.oid ?? null };
};

/**
 * Returns an address for the frame of a shared app. It ends with the share.
 * @throws AppError `not_found`, `not_published`; `unauthenticated` while the password is missing; `rate_limited`
 */
export async function mintSharedToken(token: string, headers: Headers): Promise<ViewToken> {
  const share = await enterShare(token, headers);
  const app = await findSharedApp(share);
  if (!app) throw noSuchShare();
  return mintFor(app, { viewerId: null, shareId: share._id });
}

export type PreviewPicture = { etag: string; content: Buffer };

/**
 * Returns the picture for link previews, only of an open share without a password.
 * @throws AppError `not_found` in all other cases, an app without a picture included (T96); `unavailable`
 */
export async function readPreviewPicture(token: string, headers: Headers): Promise<PreviewPicture> {
  await admitVisitor(headers);
  const share = await getOpenShareOrThrow(token);
  const app = share.passwordHash === null && share.kind === "app" ? await findSharedApp(share) : null;
  const picture = app && (await findThumbnail(app));
  if (!picture) throw noSuchShare();
  const { repositoryId, oid } = picture;
  const content = await answerOnce(share._id, `picture ${oid}`, async () =>
    toPreview(oid, () => readBlob(repositoryId, oid)),
  );
  if (!content) throw noSuchShare();
  return { etag: `"${oid}"`, content };
}

async function getToShareOrThrow(caller: Caller, ref: string): Promise<AppDoc> {
  const app = await getAppDocOrThrow(caller, ref);
  if (app.ownerId.equals(caller.user._id) || isAtLeast(caller.role, "admin")) return app;
  throw new AppError("forbidden", "Only the app's owner, admins and workspace owners can share it by link.");
}

async function findSharedApp({
  workspaceId,
  resourceId,
}: Pick<ShareDoc, "workspaceId" | "resourceId">): Promise<AppDoc | null> {
  return collections.apps().findOne({ _id: resourceId, workspaceId });
}

function sharedOf({ _id, workspaceId }: AppDoc): Shared {
  return { workspaceId, kind: "app", resourceId: _id };
}
