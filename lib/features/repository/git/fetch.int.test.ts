import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { removeHead } from "@/lib/features/repository/refs";
import { createBranch } from "@/lib/features/repository/service";
import { takeOwnDatabase } from "@/test/database";
import { cloneTo, type GitWorld, newGitWorld, requireSound } from "@/test/fixtures/repository/git/git-world";
import { git, gitLines } from "@/test/fixtures/repository/git-command";
import { put, remove } from "@/test/fixtures/repository/repository-fixture";
import { seedMember } from "@/test/seed";

const own = takeOwnDatabase();
let world: GitWorld;
let url: string;
beforeAll(async () => {
  world = await newGitWorld();
  url = world.urlFor(await world.keyOf(world.owner, "read"));
});
afterAll(async () => {
  await world.end();
  await own.drop();
});

const subjects = (clone: string, ...args: string[]) => gitLines(clone, "log", "--format=%s", ...args);
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `Save ${from + n}`).reverse();

describe("stock git", () => {
  it("clones a workspace without a commit, on its main branch", async () => {
    const clone = await cloneTo(world, url, "empty");
    expect(await gitLines(clone, "symbolic-ref", "HEAD")).toEqual(["refs/heads/main"]);
  });

  it("clones, fetches, and finds each commit, file and byte", async () => {
    const bytes = randomBytes(9 * 1024 * 1024);
    await world.save("Save 1", [put("consoles/a.sql", "select 1\n"), put("apps/shop/large.bin", bytes)]);
    const folder = Array.from({ length: 60 }, (_, n) => put(`consoles/many/${n}.sql`, `select ${n}\n`));
    await world.save("Save 2", folder);
    for (let n = 3; n <= 120; n++) {
      await world.save(`Save ${n}`, [put(`consoles/many/${n % 60}.sql`, `select ${n} as n\n`)]);
    }
    await world.save("Save 121", [remove("consoles/many/7.sql"), put("consoles/many/zz.sql", "z")]);
    const head = await world.save("Save 122", [put("README.md", "# Here\n")]);
    const clone = await cloneTo(world, url, "full");
    expect(await gitLines(clone, "rev-parse", "HEAD")).toEqual([head]);
    expect(await subjects(clone)).toEqual(numbers(1, 122));
    expect(await gitLines(clone, "cat-file", "-s", "HEAD:apps/shop/large.bin")).toEqual([String(bytes.length)]);
    expect(await gitLines(clone, "ls-tree", "-r", "--name-only", "HEAD:consoles/many")).toHaveLength(60);
    const { stdout } = await git(clone, "verify-pack", "-v", ...(await packsOf(clone)));
    // Most versions of the folder are deltas.
    expect(stdout.split("\n").filter((line) => / tree .* \d+ [0-9a-f]{40}$/.test(line)).length).toBeGreaterThan(80);
    const chains = Array.from(stdout.matchAll(/^chain length = (\d+)/gm), ([, length]) => Number(length));
    expect(Math.max(...chains)).toBeLessThanOrEqual(50);
  });

  it("fetches only what came after 100 further commits", async () => {
    const before = await cloneTo(world, url, "behind");
    for (let n = 123; n <= 222; n++)
      await world.save(`Save ${n}`, [put(`consoles/many/${n % 60}.sql`, `select ${n}\n`)]);
    const { stderr } = await git(before, "fetch", "--progress");
    await requireSound(before);
    expect(await subjects(before, "origin/main")).toEqual(numbers(1, 222));
    // A commit, its file and the three parent folders: objects that the clone had are not sent again.
    const received = Number(/Receiving objects: 100% \(\d+\/(\d+)\)/.exec(stderr)?.[1]);
    expect(received).toBe(100 * 5);
    const { stderr: again } = await git(before, "fetch", "--progress");
    expect(again).toBe("");
  });

  it("clones a partial history, deepens it and completes it", async () => {
    const clone = await cloneTo(world, url, "shallow", "--depth", "1");
    expect(await subjects(clone)).toEqual(numbers(222, 222));
    await git(clone, "fetch", "--quiet", "--depth", "3");
    await requireSound(clone);
    expect(await subjects(clone)).toEqual(numbers(220, 222));
    await git(clone, "fetch", "--quiet", "--deepen", "4");
    await requireSound(clone);
    expect(await subjects(clone)).toEqual(numbers(216, 222));
    await world.save("Save 223", [put("consoles/a.sql", "select 223\n")]);
    await git(clone, "pull", "--quiet");
    await requireSound(clone);
    expect(await subjects(clone)).toEqual(numbers(216, 223));
    await git(clone, "fetch", "--quiet", "--unshallow");
    await requireSound(clone);
    expect(await subjects(clone)).toEqual(numbers(1, 223));
    expect(await gitLines(clone, "rev-parse", "--is-shallow-repository")).toEqual(["false"]);
  });

  it("clones since a date, and reports if nothing is newer", async () => {
    const clone = await cloneTo(world, url, "since", "--shallow-since=2020-01-01");
    expect(await subjects(clone)).toEqual(numbers(1, 223));
    await expect(git(world.dir, "clone", "--quiet", "--shallow-since=@4000000000 +0000", url, "none")).rejects.toThrow(
      /no commits are that recent/,
    );
  });

  it("clones one branch, and all files for a partial clone", async () => {
    const single = await cloneTo(world, url, "single", "--single-branch", "--branch", "main");
    expect(await subjects(single)).toHaveLength(223);
    const { stderr } = await git(world.dir, "clone", "--filter=blob:none", url, "filtered");
    expect(stderr).toContain("filtering not recognized by server, ignoring");
    expect(await gitLines(`${world.dir}/filtered`, "rev-list", "--objects", "--missing=print", "HEAD")).not.toContain(
      "?",
    );
  });

  it("shows its key's own branch beside main, and no one else's", async () => {
    const repositoryId = world.workspaceId;
    const other = await seedMember(world.owner.workspaceId, "member");
    const mine = `user/${world.owner.id}`;
    const theirs = `user/${other.id}`;
    await createBranch({ repositoryId, name: mine });
    await createBranch({ repositoryId, name: theirs });
    await world.save("Mine", [put("apps/mine/a.ts", "1\n")], mine);
    const hidden = await world.save("Theirs", [put("apps/theirs/a.ts", "secret\n")], theirs);
    const clone = await cloneTo(world, url, "branches");
    expect(await gitLines(clone, "branch", "-r", "--format=%(refname)")).toEqual([
      "refs/remotes/origin/HEAD",
      "refs/remotes/origin/main",
      `refs/remotes/origin/${mine}`,
    ]);
    await expect(git(clone, "fetch", "--quiet", "origin", hidden)).rejects.toThrow(/not our ref/);
    await expect(git(clone, "fetch", "--quiet", "origin", "1".repeat(40))).rejects.toThrow(/not our ref/);
    const theirClone = await cloneTo(world, world.urlFor(await world.keyOf(other)), "theirs");
    await git(theirClone, "fetch", "--quiet", "origin", hidden);
    // A fetch of a branch sends only the commits that are not on main.
    const { stderr } = await git(clone, "fetch", "--progress", "origin", mine);
    expect(stderr).not.toContain("Receiving");
    expect(await removeHead(repositoryId, theirs, hidden)).toBe(true);
    await expect(git(theirClone, "fetch", "--quiet", "origin", hidden, "--refetch")).rejects.toThrow(/not our ref/);
  });

  it("gets a sound repository at and after a state without files, whole and shallow", { tags: ["long"] }, async () => {
    const bare = await newGitWorld();
    const address = bare.urlFor(await bare.keyOf(bare.owner));
    const file = put("consoles/a.sql", "select 1\n");
    await bare.save("First", [file, put("docs/deep/b.md", "b\n")]);
    const follower = await cloneTo(bare, address, "follower");
    await bare.save("All deleted", [remove("consoles/a.sql"), remove("docs/deep/b.md")]);
    await cloneTo(bare, address, "deleted");
    const shallow = await cloneTo(bare, address, "deleted-shallow", "--depth", "1");
    await bare.save("Revived", [file]);
    await cloneTo(bare, address, "revived-shallow", "--depth", "1");
    await git(shallow, "fetch", "--quiet", "--unshallow");
    await requireSound(shallow);
    await bare.save("Deleted again", [remove("consoles/a.sql")]);
    await git(follower, "pull", "--quiet");
    await requireSound(follower);
    // Stock git may leave the empty tree out of a push, and adds a commit without a change.
    const me = ["-c", "user.name=Bo", "-c", "user.email=bo@example.com"];
    await git(follower, ...me, "commit", "--quiet", "--allow-empty", "--message", "Still nothing");
    await git(follower, "push", "--quiet");
    const last = await cloneTo(bare, address, "last");
    expect(await gitLines(last, "log", "--format=%s")).toEqual([
      "Still nothing",
      "Deleted again",
      "Revived",
      "All deleted",
      "First",
    ]);
    await bare.end();
  });

  it("of an older protocol is told which one to use", async () => {
    await expect(git(world.dir, "-c", "protocol.version=0", "clone", "--quiet", url, "old")).rejects.toThrow(
      /requires git protocol version 2/,
    );
  });

  it("that is killed during a clone frees its slot", async () => {
    for (let n = 0; n < 6; n++) {
      const leave = new AbortController();
      const response = await fetch(`${world.base}/${world.slug}.git/git-upload-pack`, {
        method: "POST",
        signal: leave.signal,
        headers: {
          authorization: `Basic ${Buffer.from(`x:${new URL(url).password}`).toString("base64")}`,
          "git-protocol": "version=2",
          "content-type": "application/x-git-upload-pack-request",
        },
        body: await wantOf(),
      });
      const reader = response.body?.getReader();
      await reader?.read();
      leave.abort();
      await reader?.read().catch(() => undefined);
    }
    await cloneTo(world, url, "after");
  });
});

async function wantOf(): Promise<string> {
  const [head = ""] = await gitLines(`${world.dir}/full`, "ls-remote", url, "refs/heads/main");
  const line = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text;
  return `${line("command=fetch")}0001${line(`want ${head.slice(0, 40)}\n`)}${line("done\n")}0000`;
}

async function packsOf(clone: string): Promise<string[]> {
  const dir = `${clone}/.git/objects/pack`;
  return (await readdir(dir)).filter((name) => name.endsWith(".idx")).map((name) => `${dir}/${name}`);
}
