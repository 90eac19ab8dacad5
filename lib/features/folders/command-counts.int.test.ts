import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CommandStartedEvent, ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { commitChanges } from "@/lib/features/repository/service";
import { mongoClient } from "@/lib/platform/db/client";
import { env } from "@/lib/platform/env";
import { takeOwnDatabase } from "@/test/database";
import { cloneTo, type GitWorld, newGitWorld } from "@/test/fixtures/repository/git/git-world";
import { git } from "@/test/fixtures/repository/git-command";
import { projectMain } from "./project-main";

const FILES = 400;
const FOLDERS = 40;
/** Files of the largest push here; more than are looked up one by one. */
const PUSHED = 100;

const own = takeOwnDatabase();
// The driver reports commands only on request, and only on connections opened after it.
const uri = new URL(process.env.MONGODB_URI ?? "");
uri.searchParams.set("monitorCommands", "true");
process.env.MONGODB_URI = uri.toString();

let world: GitWorld;
let workspaceId: ObjectId;
const pathOf = (n: number) => `consoles/folder ${n % FOLDERS}/console ${n}.sql`;

beforeAll(async () => {
  env().RATE_LIMIT_SCALE = 100;
  world = await newGitWorld();
  workspaceId = new ObjectId(world.owner.workspaceId);
  await commitChanges({
    repositoryId: workspaceId,
    author: { name: "Ana", email: "ana@example.com" },
    message: "Add consoles",
    changes: Array.from({ length: FILES }, (_, n) => ({ kind: "put", path: pathOf(n), content: `select ${n}` })),
  });
});
afterAll(async () => {
  await world.end();
  await own.drop();
});

/** Returns the number of commands on the collections of the repository and of consoles, and of ids in look-ups of objects. */
async function countCommands(work: () => Promise<unknown>): Promise<{ commands: number; objects: number }> {
  const counts = { commands: 0, objects: 0 };
  const note = ({ commandName, command }: CommandStartedEvent) => {
    const name = String(command[commandName]);
    if (/^git_|console/.test(name)) counts.commands++;
    if (name === "git_objects" && commandName === "find") counts.objects += command.filter.oid.$in?.length ?? 1;
  };
  mongoClient().on("commandStarted", note);
  await work();
  mongoClient().off("commandStarted", note);
  return counts;
}

it("writes all consoles of main with a constant number of commands", async () => {
  const { commands } = await countCommands(() => projectMain(workspaceId, new ObjectId(world.owner.id)));
  expect(await collections.consoles().countDocuments({ workspaceId })).toBe(FILES);
  expect(commands).toBeLessThan(FILES / 4);
  const again = await countCommands(() => projectMain(workspaceId, new ObjectId(world.owner.id)));
  expect(again.commands).toBeLessThan(FILES / 4);
});

it("reads for a push the objects around its files, however many the repository has", async () => {
  const clone = await cloneTo(world, world.urlFor(await world.keyOf(world.owner)), "counted");
  const push = async (files: number) => {
    for (let n = 0; n < files; n++) await writeFile(join(clone, pathOf(n)), `select ${n} as pushed_${files}\n`);
    await git(clone, "-c", "user.name=Ana", "-c", "user.email=ana@example.com", "commit", "--quiet", "-am", "Push");
    return countCommands(() => git(clone, "push", "--quiet", "origin", "main"));
  };
  const one = await push(1);
  expect(one.objects).toBeLessThan(FOLDERS);
  expect(one.commands).toBeLessThan(100);
  const many = await push(PUSHED);
  expect(many.commands).toBeLessThan(4 * PUSHED);
  const { content } = (await collections.consoles().findOne({ workspaceId, file: pathOf(PUSHED - 1) })) ?? {};
  expect(content).toBe(`select ${PUSHED - 1} as pushed_${PUSHED}\n`);
});
