import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { env } from "@/lib/platform/env";
import { takeOwnDatabase } from "@/test/database";
import { cloneTo, type GitWorld, newGitWorld } from "@/test/fixtures/repository/git/git-world";
import { git } from "@/test/fixtures/repository/git-command";

const own = takeOwnDatabase();
let world: GitWorld;
beforeAll(async () => {
  env().RATE_LIMIT_SCALE = 100;
  world = await newGitWorld();
});
afterAll(async () => {
  await world.end();
  await own.drop();
});

const ME = ["-c", "user.name=Bo", "-c", "user.email=bo@example.com"];
const FILES = 5_000;

it("keeps 5,000 consoles that pushes rename, delete and restore", { timeout: 900_000, tags: ["long"] }, async () => {
  const clone = await cloneTo(world, world.urlFor(await world.keyOf(world.owner)), "clone");
  const commitAndPush = async (message: string) => {
    await git(clone, "add", "--all");
    await git(clone, ...ME, "commit", "--quiet", "--message", message);
    await git(clone, "push", "--quiet", "origin", "main");
  };
  const items = async (folder: string) => {
    const docs = await collections
      .consoles()
      .find({ workspaceId: world.workspaceId, path: { $regex: `^${folder}/` } })
      .sort({ _id: 1 })
      .toArray();
    return docs.map(({ _id, content }) => `${_id} ${content}`);
  };
  await mkdir(join(clone, "consoles/many"), { recursive: true });
  for (let n = 0; n < FILES; n++) await writeFile(join(clone, `consoles/many/${n}.sql`), `select ${n}\n`);
  await commitAndPush("Add");
  const before = await items("many");
  expect(before).toHaveLength(FILES);
  await git(clone, "mv", "consoles/many", "consoles/renamed");
  await commitAndPush("Rename");
  expect(await items("renamed")).toEqual(before);
  await git(clone, "rm", "-r", "--quiet", "consoles/renamed");
  await commitAndPush("Delete");
  expect(await items("renamed")).toEqual([]);
  await git(clone, ...ME, "revert", "--no-edit", "HEAD");
  await git(clone, "push", "--quiet", "origin", "main");
  expect(await items("renamed")).toEqual(before);
});
