import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collections as all } from "@/lib/features/instance/collections";
import { deleteWorkspace } from "@/lib/features/instance/deletion";
import { handIn } from "@/lib/features/instance/register-hooks";
import { createBranch } from "@/lib/features/repository/service";
import { CommitGraph, findHead, MAIN_BRANCH } from "@/lib/features/repository/wire";
import { env } from "@/lib/platform/env";
import { type JobEvent, sendJobEventsBy } from "@/lib/platform/process/job-events";
import { takeOwnDatabase } from "@/test/database";
import { cloneTo, type GitWorld, newGitWorld } from "@/test/fixtures/repository/git/git-world";
import { git, gitLines } from "@/test/fixtures/repository/git-command";
import { rebuildIndex } from "@/test/fixtures/repository/rebuild-index";
import { put, remove } from "@/test/fixtures/repository/repository-fixture";
import { BASE_PACK_EVENT, STRETCH_COMMITS_MIN, writeBasePack } from "./base-pack";
import { collections } from "./collections";
import { planPack } from "./pack-plan";
import { DELIMITER, FLUSH, pktLine } from "./pkt-line";
import { uploadPack } from "./upload-pack";

const own = takeOwnDatabase();
let world: GitWorld;
let url: string;
const events: JobEvent[] = [];
beforeAll(async () => {
  env().RATE_LIMIT_SCALE = 100;
  handIn();
  sendJobEventsBy(async (sent) => void events.push(...sent));
  world = await newGitWorld();
  url = world.urlFor(await world.keyOf(world.owner));
});
afterAll(async () => {
  await world.end();
  await own.drop();
});

const FOLDERS = 6;
let made = 0;
async function save(count: number): Promise<void> {
  for (const end = made + count; made < end; made++) {
    const n = made % 48;
    // Some texts are repeated, in other folders too: an object must not be in a pack twice.
    await world.save(`Save ${made}`, [put(`consoles/folder ${n % FOLDERS}/c${n}.sql`, `select ${made % 31}\n`)]);
  }
}
const subjects = (clone: string, ...args: string[]) => gitLines(clone, "log", "--format=%s", ...args);
const stretches = () => collections.gitStretches().find({ workspaceId: world.workspaceId }).sort({ n: 1 }).toArray();
const large = randomBytes(3 * 1024 * 1024);

it("requests a base pack once per full range of commits, and clones it with the rest", async () => {
  await world.save("Large", [put("apps/shop/large.bin", large)]);
  await save(STRETCH_COMMITS_MIN - 2);
  expect(events.filter(({ name }) => name === BASE_PACK_EVENT)).toEqual([]);
  await save(1);
  expect(events.filter(({ name }) => name === BASE_PACK_EVENT)).toMatchObject([
    { data: { workspaceId: world.owner.workspaceId } },
  ]);
  const plain = await cloneTo(world, url, "plain");
  await writeBasePack({ workspaceId: world.workspaceId.toHexString() });
  expect(await stretches()).toMatchObject([{ n: 0, from: 0, seq: STRETCH_COMMITS_MIN }]);
  // The large file is not copied.
  expect((await stretches())[0]?.bytes).toBeLessThan(1024 * 1024);
  const based = await cloneTo(world, url, "based");
  expect(await everything(based)).toEqual(await everything(plain));
  await save(40);
  const further = await cloneTo(world, url, "further");
  expect(await subjects(further)).toHaveLength(STRETCH_COMMITS_MIN + 40);
  await git(based, "fetch", "--quiet");
  expect(await subjects(based, "origin/main")).toHaveLength(STRETCH_COMMITS_MIN + 40);
});

it("keeps a plan of all commits in memory of the size of its deltas", async () => {
  const graph = new CommitGraph(world.workspaceId);
  const head = await findHead(world.workspaceId, MAIN_BRANCH);
  const commits = await graph.walk([head ?? ""], () => false);
  const { signal } = new AbortController();
  const { trees } = await planPack(world.workspaceId, [...commits.values()], {
    ownedTree: () => null,
    useDeltas: true,
    signal,
  });
  const deltas = trees.flatMap(({ delta }) => delta?.stream ?? []);
  expect(deltas.length).toBeGreaterThan(STRETCH_COMMITS_MIN);
  const held = new Set(deltas.map(({ buffer }) => buffer));
  const bytes = (all: Iterable<{ byteLength: number }>) =>
    [...all].reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(bytes(held)).toBe(bytes(deltas));
});

it("adds ranges in order, and stays correct after the index was rebuilt", { tags: ["long"] }, async () => {
  await save(2 * STRETCH_COMMITS_MIN);
  // A clone that plans these itself requests their range only after it has sent them.
  events.length = 0;
  const requests = () => events.filter(({ name }) => name === BASE_PACK_EVENT).length;
  const head = (await findHead(world.workspaceId, MAIN_BRANCH)) ?? "";
  const lines = ["ofs-delta\n", `want ${head}\n`, "done\n"].map((line) => pktLine(line));
  const message = Buffer.concat([pktLine("command=fetch\n"), DELIMITER, ...lines, FLUSH]);
  const reader = { workspaceId: world.workspaceId, userId: new ObjectId() };
  const before: number[] = [];
  for await (const _ of uploadPack(reader, message, new AbortController().signal)) before.push(requests());
  expect(before.length).toBeGreaterThan(3);
  expect(before.slice(0, -1)).toEqual(before.slice(0, -1).map(() => 0));
  await expect.poll(requests).toBe(1);
  await writeBasePack({ workspaceId: world.workspaceId.toHexString() });
  await save(3);
  await rebuildIndex(world.workspaceId);
  const [first, second, ...more] = await stretches();
  expect(more).toEqual([]);
  expect(second).toMatchObject({ n: 1, from: first?.seq, seq: 3 * STRETCH_COMMITS_MIN + 40 });
  const clone = await cloneTo(world, url, "two");
  expect(await subjects(clone)).toHaveLength(3 * STRETCH_COMMITS_MIN + 43);
  const { stdout } = await git(clone, "verify-pack", "-v", ...(await packsOf(clone)));
  const chains = Array.from(stdout.matchAll(/^chain length = (\d+)/gm), ([, length]) => Number(length));
  expect(Math.max(...chains)).toBeLessThanOrEqual(50);
});

it("serves a partial history, an unshallowed clone and an early branch correctly", { tags: ["long"] }, async () => {
  const total = 3 * STRETCH_COMMITS_MIN + 43;
  const shallow = await cloneTo(world, url, "shallow", "--depth", "2");
  expect(await subjects(shallow)).toHaveLength(2);
  await git(shallow, "fetch", "--quiet", "--unshallow");
  expect(await subjects(shallow)).toHaveLength(total);
  const branch = `user/${world.owner.id}`;
  const [sha = ""] = await gitLines(shallow, "rev-parse", `HEAD~${total - 300}`);
  await createBranch({ repositoryId: world.workspaceId, name: branch, sha });
  await world.save("Aside", [put("apps/aside/a.ts", "1\n")], branch);
  const single = await cloneTo(world, url, "single", "--single-branch", "--branch", branch);
  expect(await subjects(single)).toHaveLength(301);
  const both = await cloneTo(world, url, "both");
  expect(await subjects(both, "--all")).toHaveLength(total + 1);
});

it("keeps one range for two servers that extend it at once, without leftovers", { tags: ["long"] }, async () => {
  await save(STRETCH_COMMITS_MIN);
  await Promise.all([
    writeBasePack({ workspaceId: world.workspaceId.toHexString() }),
    writeBasePack({ workspaceId: world.workspaceId.toHexString() }),
  ]);
  const known = await stretches();
  expect(known.map(({ n }) => n)).toEqual(known.map((_, n) => n));
  expect(known.map(({ from }) => from)).toEqual([0, ...known.slice(0, -1).map(({ seq }) => seq)]);
  const parts = await collections.gitStretchParts().distinct("stretchId", { workspaceId: world.workspaceId });
  expect(parts.map(String).sort()).toEqual(known.map(({ _id }) => String(_id)).sort());
  await cloneTo(world, url, "after-two");
});

it("removes leftovers of a server that died, which no clone sees", async () => {
  const { workspaceId } = world;
  const data = (await collections.gitStretchParts().findOne({ workspaceId }))?.data;
  if (!data) throw new Error("There is no part.");
  const old = ObjectId.createFromTime(1);
  await collections
    .gitStretchParts()
    .insertOne({ _id: old, workspaceId, stretchId: new ObjectId(), kind: "body", n: 0, data });
  await cloneTo(world, url, "beside-remains");
  await writeBasePack({ workspaceId: workspaceId.toHexString() });
  expect(await collections.gitStretchParts().findOne({ workspaceId, _id: old })).toBeNull();
});

it("serves two concurrent clones completely, also during the next range", { tags: ["long"] }, async () => {
  await save(STRETCH_COMMITS_MIN);
  const [a, b] = await Promise.all([
    cloneTo(world, url, "at-once-a"),
    cloneTo(world, url, "at-once-b"),
    writeBasePack({ workspaceId: world.workspaceId.toHexString() }),
  ]);
  expect(await everything(a)).toEqual(await everything(b));
});

it("contains the empty tree once, if a range or a later commit has no files", { tags: ["long"] }, async () => {
  const empty = await newGitWorld();
  const address = empty.urlFor(await empty.keyOf(empty.owner));
  const addAndRemove = async (n: number) => {
    await empty.save(`Add ${n}`, [put("docs/a.md", `${n}\n`)]);
    await empty.save(`Remove ${n}`, [remove("docs/a.md")]);
  };
  await addAndRemove(0);
  for (let n = 2; n < STRETCH_COMMITS_MIN; n++) await empty.save(`Save ${n}`, [put("docs/b.md", `${n}\n`)]);
  await writeBasePack({ workspaceId: empty.owner.workspaceId });
  await cloneTo(empty, address, "based");
  await empty.save("Remove all", [remove("docs/b.md")]);
  await addAndRemove(1);
  await cloneTo(empty, address, "and-later");
  await empty.end();
});

it("is deleted with its workspace", async () => {
  const { workspaceId, owner } = world;
  await deleteWorkspace({ workspaceId, user: { _id: new ObjectId(owner.id) } } as never);
  for (const name of ["gitStretches", "gitStretchParts"] as const) {
    expect(await all[name]().countDocuments({ workspaceId })).toBe(0);
  }
  // A late job does nothing.
  await writeBasePack({ workspaceId: workspaceId.toHexString() });
  expect(await stretches()).toEqual([]);
});

async function everything(clone: string): Promise<string[]> {
  return (await gitLines(clone, "rev-list", "--objects", "HEAD")).sort();
}

async function packsOf(clone: string): Promise<string[]> {
  const dir = `${clone}/.git/objects/pack`;
  return (await readdir(dir)).filter((name) => name.endsWith(".idx")).map((name) => `${dir}/${name}`);
}
