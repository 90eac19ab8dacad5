import "server-only";
import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";
import { createSampleConnection, discardConnections } from "@/lib/features/connections/service";
import { lookUpUser, type WithUser } from "@/lib/features/users/service";
import type { Caller, UserCaller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { AppError } from "@/lib/platform/http/errors";
import { type Page, type PageRequest, readCursor, toPage, withExtra } from "@/lib/platform/http/paging";
import { beginWorkspace } from "./beginning";
import { collections } from "./collections";
import { type MembershipDoc, toWorkspace, type WorkspaceDoc } from "./model";
import type { Member, Workspace, WorkspaceDetails } from "./schema";

const SLUG_LENGTH_MAX = 40;
/** Number of random digits after a slug that is taken; three collisions in a row do not happen. */
const SLUG_SUFFIX_BYTES = 3;
const SLUG_TRIES = 4;

/** Creates a workspace that the caller owns, with the sample shop in it. */
export async function createWorkspace({ user }: UserCaller, name: string): Promise<Workspace> {
  const workspace = await createWorkspaceOf(user._id, name, new Date());
  await beginWorkspace(new ObjectId(workspace.id), user);
  return workspace;
}

/**
 * Creates a workspace for an account that is being created: no one has signed in to it yet. `beginWorkspace` follows.
 */
export async function createWorkspaceOf(ownerId: ObjectId, name: string, now: Date): Promise<Workspace> {
  const workspace = await insertWithFreeSlug(name, now);
  // The sample first and the membership last: members always see a complete workspace.
  await createSampleConnection(workspace._id, ownerId, now);
  await collections
    .memberships()
    .insertOne({ _id: new ObjectId(), workspaceId: workspace._id, userId: ownerId, role: "owner", joinedAt: now });
  return toWorkspace(workspace, "owner");
}

/** Discards a workspace whose creation failed half-way: no one has seen it yet. */
export async function discardWorkspace(workspaceId: ObjectId): Promise<void> {
  await collections.memberships().deleteMany({ workspaceId });
  await discardConnections(workspaceId);
  await collections.workspaces().deleteOne({ _id: workspaceId });
}

/**
 * Lists the caller's workspaces with their role in each, in the order in which they joined; a key has one workspace.
 */
export async function listWorkspaces({ user, via }: UserCaller, page: PageRequest): Promise<Page<Workspace>> {
  const after = readCursor(page.cursor);
  const only = via.kind === "key" && { workspaceId: via.membership.workspaceId };
  const joined = await collections
    .memberships()
    .aggregate<MembershipDoc & { workspace: [WorkspaceDoc?] }>([
      { $match: { userId: user._id, ...only, ...(after && { _id: { $gt: after } }) } },
      { $sort: { _id: 1 } },
      { $limit: withExtra(page.limit) },
      {
        $lookup: {
          from: collections.workspaces.collectionName,
          localField: "workspaceId",
          foreignField: "_id",
          as: "workspace",
        },
      },
    ])
    .toArray();
  const found = toPage(joined, page.limit, ({ workspace: [doc], role }) => (doc ? [toWorkspace(doc, role)] : []));
  return { ...found, items: found.items.flat() };
}

/** Returns the slug in the addresses of the workspace's pages; null if the workspace is deleted. */
export async function findWorkspaceSlug(workspaceId: ObjectId): Promise<string | null> {
  const filter = { _id: workspaceId, deletedAt: { $exists: false } };
  const doc = await collections.workspaces().findOne(filter, { projection: { slug: 1 } });
  return doc?.slug ?? null;
}

/** Renames the workspace; its address stays. @throws AppError `not_found` */
export async function renameWorkspace({ workspaceId, role }: Caller, name: string): Promise<Workspace> {
  const doc = await collections
    .workspaces()
    .findOneAndUpdate({ _id: workspaceId }, { $set: { name, updatedAt: new Date() } }, { returnDocument: "after" });
  if (!doc) throw new AppError("not_found", "This workspace was deleted.");
  return toWorkspace(doc, role);
}

/**
 * Returns the caller's workspace with a page of its members, in the order in which they joined.
 * @throws AppError `not_found`, `invalid_request` for a bad cursor
 */
export async function getWorkspaceOrThrow(
  { workspaceId, role }: Caller,
  { ids, ...page }: PageRequest & { ids?: string },
): Promise<{ details: WorkspaceDetails; nextCursor: string | null }> {
  const after = readCursor(page.cursor);
  const doc = await getWorkspaceDocOrThrow(workspaceId);
  const only = ids !== undefined && { userId: { $in: ids.split(",").map((id) => new ObjectId(id)) } };
  const memberships = await collections
    .memberships()
    .aggregate<MembershipDoc & WithUser>([
      { $match: { workspaceId, ...only, ...(after && { _id: { $gt: after } }) } },
      { $sort: { _id: 1 } },
      { $limit: withExtra(page.limit) },
      lookUpUser("userId"),
    ])
    .toArray();
  const { items, nextCursor } = toPage(memberships, page.limit, ({ user: [user], ...membership }) =>
    user ? [toMember(membership, user)] : [],
  );
  return { details: { ...toWorkspace(doc, role), members: items.flat() }, nextCursor };
}

/** @throws AppError `not_found` */
export async function getWorkspaceDocOrThrow(workspaceId: ObjectId): Promise<WorkspaceDoc> {
  const workspace = await collections.workspaces().findOne({ _id: workspaceId });
  if (!workspace) throw new AppError("not_found", "This workspace was deleted.");
  return workspace;
}

/** Returns the workspace that an operator names by its id or its slug; null for none. */
export async function findWorkspaceId(name: string): Promise<ObjectId | null> {
  const workspaces = collections.workspaces();
  const bySlug = await workspaces.findOne({ slug: name });
  return (
    (bySlug ?? (ObjectId.isValid(name) ? await workspaces.findOne({ _id: new ObjectId(name) }) : null))?._id ?? null
  );
}

/** @throws AppError not_found */
export async function getWorkspaceIdOrThrow(name: string): Promise<ObjectId> {
  const found = await findWorkspaceId(name);
  if (!found) throw new AppError("not_found", `Workspace “${name}” not found. Use its ID or slug.`);
  return found;
}

/** Returns the user who has been an owner of the workspace longest. @throws AppError not_found */
export async function getOwnerIdOrThrow(workspaceId: ObjectId): Promise<ObjectId> {
  const owner = await collections.memberships().findOne({ workspaceId, role: "owner" }, { sort: { joinedAt: 1 } });
  if (!owner) throw new AppError("not_found", "The workspace has no owner.");
  return owner.userId;
}

function toMember(
  { userId, role, joinedAt, lastSeenAt }: MembershipDoc,
  { email, name }: { email: string; name: string },
): Member {
  return {
    userId: userId.toHexString(),
    email,
    name,
    role,
    joinedAt: joinedAt.toISOString(),
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
  };
}

async function insertWithFreeSlug(name: string, now: Date): Promise<WorkspaceDoc> {
  const base = toSlug(name);
  for (let attempt = 1; ; attempt += 1) {
    const slug = attempt === 1 ? base : `${base}-${randomBytes(SLUG_SUFFIX_BYTES).toString("hex")}`;
    const workspace: WorkspaceDoc = { _id: new ObjectId(), name, slug, createdAt: now, updatedAt: now };
    try {
      await collections.workspaces().insertOne(workspace);
      return workspace;
    } catch (error) {
      const isTaken = isDuplicateKey(error);
      if (!isTaken || attempt === SLUG_TRIES) throw error;
    }
  }
}

/** Returns the part of a page's address that identifies a workspace: lower-case words joined by hyphens. */
export function toSlug(name: string): string {
  const slug = name
    .normalize("NFKD")
    .replace(/[\u0300-\u036f'’]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_LENGTH_MAX)
    .replace(/^-+|-+$/g, "");
  return slug || "workspace";
}
