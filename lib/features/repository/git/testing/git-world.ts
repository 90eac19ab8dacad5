import { join } from "node:path";
import { ObjectId } from "mongodb";
import { type Change, commitChanges } from "@/lib/features/repository/service";
import { git, temporaryFolder } from "@/lib/features/repository/testing/git-command";
import { findWorkspaceSlug } from "@/lib/features/workspaces/service";
import type { KeyAccess } from "@/lib/platform/access/caller";
import { type Person, seedKey, seedPerson } from "@/test/seed";
import { startGitServer } from "./git-server";

export type GitWorld = {
  owner: Person;
  workspaceId: ObjectId;
  slug: string;
  /** A folder for clones. */
  dir: string;
  base: string;
  keyOf: (person: Person, access?: KeyAccess) => Promise<string>;
  /** The address of the repository with a key in it. */
  urlFor: (key: string, slug?: string) => string;
  save: (message: string, changes: Change[], branch?: string) => Promise<string>;
  end: () => Promise<void>;
};

/** A workspace with its repository behind a server that stock git can ask. */
export async function newGitWorld(): Promise<GitWorld> {
  const owner = await seedPerson("Olga");
  const workspaceId = new ObjectId(owner.workspaceId);
  const slug = (await findWorkspaceSlug(workspaceId)) ?? "";
  const server = await startGitServer();
  const folder = await temporaryFolder();
  const urlFor = (key: string, name = slug) => `${server.url.replace("//", `//any:${key}@`)}/git/${name}.git`;
  return {
    owner,
    workspaceId,
    slug,
    dir: folder.dir,
    base: `${server.url}/git`,
    keyOf: (person, access) => seedKey(owner.workspaceId, person, access),
    urlFor,
    save: async (message, changes, branch) => {
      const author = { name: "Olga", email: owner.email };
      const { sha } = await commitChanges({
        repositoryId: workspaceId,
        author,
        message,
        changes,
        ...(branch && { branch }),
      });
      return sha;
    },
    end: async () => {
      await server.close();
      await folder.remove();
    },
  };
}

/** Clones, has git check all of it, and gives the clone's folder. */
export async function cloneTo(world: GitWorld, url: string, name: string, ...options: string[]): Promise<string> {
  await git(world.dir, "clone", "--quiet", ...options, url, name);
  const clone = join(world.dir, name);
  await requireSound(clone);
  return clone;
}

export async function requireSound(clone: string): Promise<void> {
  const { stdout, stderr } = await git(clone, "fsck", "--strict", "--full", "--no-progress");
  const complaints = `${stdout}${stderr}`.split("\n").filter((line) => line !== "" && !line.startsWith("notice:"));
  if (complaints.length > 0) throw new Error(`git fsck says:\n${complaints.join("\n")}`);
}
