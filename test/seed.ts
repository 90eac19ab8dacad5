import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";
import { hashToken, newApiKey } from "@/lib/features/accounts/tokens";
import { collections } from "@/lib/features/instance/collections";
import type { KeyAccess } from "@/lib/platform/access/caller";
import type { Role } from "@/lib/platform/access/roles";
import { type Credentials, call, cookieOf } from "./client";

export type Person = { id: string; email: string; cookie: string; workspaceId: string };

export const PASSWORD = "a short sentence works";

/** Registers a new user through the API. */
export async function seedPerson(name = "Ana"): Promise<Person> {
  const email = `${name.toLowerCase()}-${randomBytes(6).toString("hex")}@example.com`;
  const answer = await call("POST", "/api/auth/register", { body: { email, password: PASSWORD, name } });
  if (answer.status !== 201) throw new Error(`Registering failed: ${answer.text}`);
  const { user, workspace } = answer.json.data;
  return { id: user.id, email, cookie: cookieOf(answer), workspaceId: workspace.id };
}

export async function seedMember(workspaceId: string, role: Role): Promise<Person> {
  const person = await seedPerson(role);
  await collections.memberships().insertOne({
    _id: new ObjectId(),
    workspaceId: new ObjectId(workspaceId),
    userId: new ObjectId(person.id),
    role,
    joinedAt: new Date(),
  });
  return { ...person, workspaceId };
}

/** Creates an API key of the workspace, owned by this user. */
export async function seedKey(workspaceId: string, creator: Person, access: KeyAccess = "full"): Promise<string> {
  const { key, prefix } = newApiKey();
  await collections.apiKeys().insertOne({
    _id: new ObjectId(),
    workspaceId: new ObjectId(workspaceId),
    createdBy: new ObjectId(creator.id),
    name: "test",
    prefix,
    hash: hashToken(key),
    access,
    createdAt: new Date(),
    expiresAt: null,
    lastUsedAt: null,
  });
  return key;
}

export async function removeMember(workspaceId: string, person: Person): Promise<void> {
  await collections
    .memberships()
    .deleteOne({ workspaceId: new ObjectId(workspaceId), userId: new ObjectId(person.id) });
}

/** All kinds of callers of a route. W1 is theirs; the strangers belong to W2. */
export const PRINCIPALS = [
  "nobody",
  "badKey",
  "member",
  "admin",
  "owner",
  "ownerKey",
  "memberKey",
  "removed",
  "removedKey",
  "stranger",
  "strangerKey",
] as const;
export type PrincipalName = (typeof PRINCIPALS)[number];
export type World = {
  workspaceId: string;
  otherWorkspaceId: string;
  people: Record<"owner" | "admin" | "member" | "removed" | "stranger", Person>;
  callers: Record<PrincipalName, Credentials>;
};

/** Creates two workspaces with all principals. */
export async function seedWorld(): Promise<World> {
  const owner = await seedPerson("owner");
  const stranger = await seedPerson("stranger");
  const { workspaceId } = owner;
  const [admin, member, removed] = await Promise.all([
    seedMember(workspaceId, "admin"),
    seedMember(workspaceId, "member"),
    seedMember(workspaceId, "admin"),
  ]);
  const callers: Record<PrincipalName, Credentials> = {
    nobody: {},
    badKey: { key: `mr_${"A".repeat(43)}`, cookie: owner.cookie },
    member: { cookie: member.cookie },
    admin: { cookie: admin.cookie },
    owner: { cookie: owner.cookie },
    ownerKey: { key: await seedKey(workspaceId, owner) },
    memberKey: { key: await seedKey(workspaceId, member) },
    removed: { cookie: removed.cookie },
    removedKey: { key: await seedKey(workspaceId, removed) },
    stranger: { cookie: stranger.cookie },
    strangerKey: { key: await seedKey(stranger.workspaceId, stranger) },
  };
  await removeMember(workspaceId, removed);
  return {
    workspaceId,
    otherWorkspaceId: stranger.workspaceId,
    people: { owner, admin, member, removed, stranger },
    callers,
  };
}
