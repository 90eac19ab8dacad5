import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { createReview, findBranch, removeHead } from "@/lib/features/repository/service";
import { env } from "@/lib/platform/env";
import { writeNow } from "@/lib/platform/events/publish";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { authorOf, type ConsoleAuthor } from "@/test/fixtures/consoles/console-author";
import { cloneTo, type GitWorld, newGitWorld } from "@/test/fixtures/repository/git/git-world";
import { git, gitLines, withExport } from "@/test/fixtures/repository/git-command";
import { type Person, seedMember } from "@/test/seed";

const own = takeOwnDatabase();
let world: GitWorld;
let url: string;
let author: ConsoleAuthor;
let member: Person;
beforeAll(async () => {
  env().RATE_LIMIT_SCALE = 100;
  world = await newGitWorld();
  author = authorOf(world.owner, world.owner.workspaceId);
  member = await seedMember(world.owner.workspaceId, "member");
  url = world.urlFor(await world.keyOf(member));
  await author.make("start", { access: "workspace", content: "select 1\n" });
});
afterAll(async () => {
  await world.end();
  await own.drop();
});

const ME = ["-c", "user.name=Bo", "-c", "user.email=bo@example.com"];
let clones = 0;

/** Pushes a review by a member, on top of main, and returns its head and its clone. */
async function pushReview(name: string, files: Record<string, string | null>, edit?: (clone: string) => Promise<void>) {
  const clone = await cloneTo(world, url, `clone-${clones++}`);
  await edit?.(clone);
  const sha = await commitTo(clone, name, files);
  await git(clone, "push", "--quiet", "origin", `HEAD:refs/heads/review/${name}`);
  return { sha, clone };
}

async function commitTo(clone: string, message: string, files: Record<string, string | null>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(clone, path)), { recursive: true });
    if (content === null) await rm(join(clone, path));
    else await writeFile(join(clone, path), content);
  }
  await git(clone, "add", "--all");
  await git(clone, ...ME, "commit", "--quiet", "--allow-empty", "--message", message);
  return (await gitLines(clone, "rev-parse", "HEAD"))[0] ?? "";
}

const send = (method: string, path: string, body?: unknown, person: Person = world.owner) =>
  call(method, `/api/workspaces/${world.owner.workspaceId}/reviews${path}`, { cookie: person.cookie, body });
const merge = (name: string, sha: string, person?: Person) => send("POST", `/${name}/merge`, { sha }, person);
const byPath = async (path: string) => {
  const { json } = await author.send("GET", "?limit=200");
  return json.data.find((each: { path: string }) => each.path === path) ?? null;
};
const read = async (id: string) => (await author.send("GET", `/${id}`)).json.data;

it("publishes an event for each new, moved and deleted review", async () => {
  const { clone } = await pushReview("told", { "docs/told.md": "# Told\n" });
  await commitTo(clone, "more", { "docs/told.md": "# More\n" });
  await git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/review/told");
  await git(clone, "push", "--quiet", "origin", ":refs/heads/review/told");
  await writeNow();
  const filter = { workspaceId: world.workspaceId, kind: "review" as const, "data.resourceId": "told" };
  const events = await collections.events().find(filter).sort({ position: 1 }).toArray();
  const each = { resourceType: "review", resourceId: "told", at: expect.any(String) };
  expect(events.map(({ data }) => data)).toEqual([each, each, { ...each, deleted: true }]);
});

describe("a review of a pull request", () => {
  it("is changed, merged and deleted at the host alone", async () => {
    const clone = await cloneTo(world, url, `clone-${clones++}`);
    const sha = (await findBranch(world.workspaceId, "main")) ?? "";
    const pullRequest = { number: 7, url: "https://host.example/acme/data/pull/7" };
    await createReview(world.workspaceId, { name: "review/pr-7", sha, pullRequest });
    await commitTo(clone, "more", { "docs/more.md": "# More\n" });
    const refused = { stderr: expect.stringContaining("this branch follows a pull request") };
    for (const head of ["HEAD", ""]) {
      const push = git(clone, "push", "--quiet", "origin", `${head}:refs/heads/review/pr-7`);
      await expect(push).rejects.toMatchObject(refused);
    }
    expect((await send("GET", "/pr-7")).json.data).toMatchObject({ pullRequest, mayMerge: false, mayDelete: false });
    expect((await merge("pr-7", sha)).status).toBe(409);
    expect((await send("DELETE", "/pr-7")).status).toBe(409);
    expect(await findBranch(world.workspaceId, "review/pr-7")).toBe(sha);
    await removeHead(world.workspaceId, "review/pr-7", sha);
  });
});

describe("a review", () => {
  it("lists its commits and files, shows the texts, and merges into consoles and dashboards", async () => {
    const edited = await author.make("edited", { access: "workspace", content: "select 1\n" });
    const moved = await author.make("moved", { access: "workspace", content: "select 'moved'\n" });
    await author.make("secret", { content: "select 'private'" });
    const board = { title: "Board", description: "", datasets: [], widgets: [], filters: [] };
    const { sha } = await pushReview(
      "first",
      { "consoles/edited.sql": "select 2\n", "dashboards/Board.json": JSON.stringify(board), "docs/a.md": "# A\n" },
      (clone) => rename(join(clone, "consoles/moved.sql"), join(clone, "consoles/renamed.sql")),
    );
    // Main moves on, so that a merge commit is needed.
    await author.make("later", { access: "workspace", content: "select 'later'\n" });

    const listed = (await send("GET", "", undefined, member)).json.data.items;
    const creator = { id: member.id, name: expect.any(String) };
    const review = { name: "first", sha, subject: "first", author: { name: "Bo", email: "bo@example.com" }, creator };
    expect(listed).toEqual([
      { ...review, ahead: 1, behind: 1, files: 4, pullRequest: null, updatedAt: expect.any(String) },
    ]);
    const { data } = (await send("GET", "/first", undefined, member)).json;
    expect(data).toMatchObject({ ...review, mayMerge: false, mayDelete: true, conflicts: [] });
    expect(JSON.stringify(data)).not.toContain("private");
    const seen = data.changes.map(({ path, status, kind }: Record<string, string>) => `${status} ${kind} ${path}`);
    expect(seen).toEqual([
      "modified console consoles/edited.sql",
      "renamed console consoles/renamed.sql",
      "added dashboard dashboards/Board.json",
      "added other docs/a.md",
    ]);
    expect(data.changes[0]).toMatchObject({ before: "select 1\n", after: "select 2\n", additions: 1, deletions: 1 });
    expect(data.changes[0].patch).toContain("-select 1\n+select 2\n");

    expect((await merge("first", sha, member)).status).toBe(403);
    const merged = await merge("first", sha);
    expect(merged.json.data).toMatchObject({ kind: "merge" });
    expect(await findBranch(world.workspaceId, "main")).toBe(merged.json.data.sha);
    expect(await read(edited.id)).toMatchObject({ content: "select 2\n", version: 2 });
    expect(await read(moved.id)).toMatchObject({ path: "renamed", content: "select 'moved'\n" });
    expect(await author.story(edited.id)).toEqual([
      "modified consoles/edited.sql: first",
      "added consoles/edited.sql: Create edited",
    ]);
    const dashboards = await call("GET", `/api/workspaces/${world.owner.workspaceId}/dashboards`, world.owner);
    expect(dashboards.json.data.map(({ title }: { title: string }) => title)).toContain("Board");

    // Merged again: nothing changes.
    expect((await merge("first", sha)).json.data).toEqual({ sha: merged.json.data.sha, kind: "up-to-date" });
    expect((await send("GET", "/first")).json.data).toMatchObject({ ahead: 0, files: 0, changes: [] });
    // A save lands on top of it.
    expect((await author.save(edited.id, { version: 2, content: "select 3" })).status).toBe(200);
    await withExport(world.workspaceId, async () => undefined);
    expect((await send("DELETE", "/first", undefined, member)).status).toBe(200);
    expect((await send("DELETE", "/first")).status).toBe(404);
  });

  it("with the newest main in it is merged by a fast-forward, once of two at a time", async () => {
    const { sha } = await pushReview("fast", { "consoles/fast.sql": "select 'fast'\n" });
    const outcomes = await Promise.all([merge("fast", sha), merge("fast", sha)]);
    expect(outcomes.map(({ status }) => status)).toEqual([200, 200]);
    expect(outcomes.map(({ json }) => json.data.kind).sort()).toEqual(["fast-forward", "up-to-date"]);
    expect(await findBranch(world.workspaceId, "main")).toBe(sha);
    expect(await byPath("fast")).toMatchObject({ access: "workspace" });
  });

  it("and a save at the same moment are both kept", async () => {
    const { id } = await author.make("raced", { access: "workspace", content: "select 0" });
    const { sha } = await pushReview("race", { "consoles/beside.sql": "select 'beside'\n" });
    const [merged, saved] = await Promise.all([
      merge("race", sha),
      author.save(id, { version: 1, content: "select 1" }),
    ]);
    expect([merged.status, saved.status]).toEqual([200, 200]);
    expect((await read(id)).content).toBe("select 1");
    expect(await byPath("beside")).not.toBeNull();
  });

  it("that conflicts with main is a 409 with the paths, and merges after main was merged into it", async () => {
    const { id } = await author.make("both", { access: "workspace", content: "select 0\n" });
    const { sha, clone } = await pushReview("conflict", { "consoles/both.sql": "select 1\n" });
    await author.save(id, { version: 1, content: "select 2\n" });
    const before = await findBranch(world.workspaceId, "main");
    expect((await send("GET", "/conflict")).json.data.conflicts).toEqual([{ path: "consoles/both.sql" }]);
    const refused = await merge("conflict", sha);
    expect([refused.status, refused.json.code]).toEqual([409, "conflict"]);
    expect(refused.json.details).toEqual([{ path: "consoles/both.sql", message: expect.any(String) }]);
    expect(await findBranch(world.workspaceId, "main")).toBe(before);

    await git(clone, "fetch", "--quiet", "origin");
    await git(clone, ...ME, "merge", "--quiet", "--no-edit", "--strategy-option=ours", "origin/main");
    await git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/review/conflict");
    // The head that was seen is not the present one.
    expect((await merge("conflict", sha)).status).toBe(409);
    const [now = ""] = await gitLines(clone, "rev-parse", "HEAD");
    expect((await merge("conflict", now)).status).toBe(200);
    expect((await read(id)).content).toBe("select 1\n");
  });

  it("whose merged files a push could not contain is a 409 with path and reason", async () => {
    const list = (title: string, widgets: unknown[]) =>
      `${JSON.stringify({ title, description: "", datasets: [], widgets, filters: [] }, null, 2)}\n`;
    const widget = (id: string, y: number) => ({
      id,
      kind: "text",
      title: "",
      source: null,
      spec: { text: "Hi" },
      layout: { x: 0, y, w: 6, h: 4 },
    });
    const middle = ["m1", "m2", "m3"].map((id, n) => widget(id, 4 * n + 4));
    const { sha: start } = await pushReview("start", { "dashboards/Twice.json": list("Twice", middle) });
    expect((await merge("start", start)).status).toBe(200);
    // Both sides add a widget with one id, at places that do not overlap.
    const { sha } = await pushReview("twice", {
      "dashboards/Twice.json": list("Twice", [widget("same", 0), ...middle]),
    });
    const other = await pushReview("other", {
      "dashboards/Twice.json": list("Twice", [...middle, widget("same", 20)]),
    });
    expect((await merge("other", other.sha)).status).toBe(200);
    const refused = await merge("twice", sha);
    expect([refused.status, refused.json.error]).toEqual([409, expect.stringMatching(/^dashboards\/Twice\.json /)]);
  });

  it("is found only by its name, in its workspace, by members", async () => {
    const { sha } = await pushReview("found", { "docs/found.md": "1\n" });
    const stranger = await newGitWorld();
    for (const [method, path, body] of [
      ["GET", "/found", undefined],
      ["DELETE", "/found", undefined],
      ["POST", "/found/merge", { sha }],
    ] as const) {
      const missing = path.replace("found", "missing");
      expect((await call(method, `/api/workspaces/${world.owner.workspaceId}/reviews${path}`, { body })).status).toBe(
        401,
      );
      expect((await send(method, path, body, stranger.owner)).status).toBe(403);
      expect((await send(method, missing, body)).status).toBe(404);
    }
    expect((await send("GET", "/..%2Fmain")).status).toBe(400);
    expect((await send("GET", "/aux")).status).toBe(404);
    expect((await send("POST", "/found/merge", { sha: "abc" })).status).toBe(400);
    const other = await seedMember(world.owner.workspaceId, "member");
    expect((await send("DELETE", "/found", undefined, other)).status).toBe(403);
    expect((await send("DELETE", "/found")).status).toBe(200);
    await stranger.end();
  });

  it("lists texts up to 4 MiB together, and 300 files", async () => {
    const large = `${"a".repeat(3 * 1024 * 1024)}\n`;
    const files = Object.fromEntries(Array.from({ length: 301 }, (_, n) => [`docs/many/${n}.md`, `${n}\n`]));
    await pushReview("large", { ...files, "docs/1.md": large, "docs/2.md": `${large}2\n` });
    const { data } = (await send("GET", "/large")).json;
    expect([data.files, data.changes.length]).toEqual([303, 300]);
    const texts = data.changes.map(({ after }: { after: string | null }) => after?.length ?? 0);
    expect(texts.reduce((sum: number, length: number) => sum + length, 0)).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(data.changes.some(({ after, patch }: Record<string, unknown>) => after === null && patch === null)).toBe(
      true,
    );
  });
});
