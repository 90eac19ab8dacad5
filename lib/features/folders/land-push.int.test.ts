import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { collections } from "@/lib/features/instance/collections";
import { readMain } from "@/lib/features/repository/service";
import { env } from "@/lib/platform/env";
import { writeNow } from "@/lib/platform/events/publish";
import { splitCases } from "@/test/cases";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { authorOf, type ConsoleAuthor } from "@/test/fixtures/consoles/console-author";
import { cloneTo, type GitWorld, newGitWorld } from "@/test/fixtures/repository/git/git-world";
import { git, gitLines, withExport } from "@/test/fixtures/repository/git-command";
import { rebuildIndex } from "@/test/fixtures/repository/rebuild-index";
import { storedIndex } from "@/test/fixtures/repository/stored-index";
import { seedMember } from "@/test/seed";

const own = takeOwnDatabase();
let world: GitWorld;
let url: string;
let author: ConsoleAuthor;
beforeAll(async () => {
  env().RATE_LIMIT_SCALE = 100;
  world = await newGitWorld();
  url = world.urlFor(await world.keyOf(world.owner));
  author = authorOf(world.owner, world.owner.workspaceId);
});
afterAll(async () => {
  await world.end();
  await own.drop();
});

const ME = ["-c", "user.name=Bo", "-c", "user.email=bo@example.com"];
let clones = 0;
const fresh = () => cloneTo(world, url, `clone-${clones++}`);

async function write(clone: string, files: Record<string, string | null>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(clone, path)), { recursive: true });
    if (content === null) await rm(join(clone, path));
    else await writeFile(join(clone, path), content);
  }
}

async function commit(clone: string, message: string, files: Record<string, string | null> = {}): Promise<string> {
  await write(clone, files);
  await git(clone, "add", "--all");
  await git(clone, ...ME, "commit", "--quiet", "--allow-empty", "--message", message);
  return (await gitLines(clone, "rev-parse", "HEAD"))[0] ?? "";
}

const push = (clone: string, ...args: string[]) => git(clone, "push", "--quiet", "origin", "main", ...args);

async function refusal(clone: string): Promise<string> {
  try {
    await push(clone);
  } catch (error) {
    return (error as { stderr: string }).stderr;
  }
  throw new Error("The push was accepted.");
}

const send = (method: string, path: string, body?: unknown) =>
  call(method, `/api/workspaces/${world.owner.workspaceId}${path}`, { ...world.owner, body });
const read = async (id: string) => (await author.send("GET", `/${id}`)).json.data;
const byPath = async (path: string) => {
  const { json } = await author.send("GET", "?limit=200");
  return json.data.find((each: { path: string }) => each.path === path) ?? null;
};
const lastEvent = async (kind: "console" | "push", resourceId?: string) => {
  await writeNow();
  const [event] = await collections
    .events()
    .find({ kind, "data.resourceId": resourceId })
    .sort({ position: -1 })
    .toArray();
  return event?.data;
};
const widget = {
  id: "w",
  kind: "text",
  title: "",
  source: null,
  spec: { text: "Hi" },
  layout: { x: 0, y: 0, w: 6, h: 4 },
};
const dashboardFile = (more: Record<string, unknown> = {}) =>
  `${JSON.stringify({ title: "Pushed", description: "", datasets: [], widgets: [widget], filters: [], ...more }, null, 2)}\n`;

describe("a push to main", () => {
  it("changes a console's text as a save does, with its id and its history", async () => {
    const { id } = await author.make("edited", { access: "workspace", content: "select 1" });
    const clone = await fresh();
    const sha = await commit(clone, "Edit", { "consoles/edited.sql": "select 2" });
    await push(clone);
    expect(await read(id)).toMatchObject({ content: "select 2", version: 2, name: "edited" });
    expect(await author.story(id)).toEqual([
      "modified consoles/edited.sql: Edit",
      "added consoles/edited.sql: Create edited",
    ]);
    expect((await readMain(world.workspaceId)).oid).toBe(sha);
    // A save that started from the old version meets it; the next one lands on top.
    expect((await author.save(id, { version: 1, content: "lost" })).status).toBe(409);
    expect((await author.save(id, { version: 2, content: "select 3" })).status).toBe(200);
    await git(clone, "pull", "--quiet", "origin", "main");
    expect((await gitLines(clone, "show", "HEAD:consoles/edited.sql"))[0]).toBe("select 3");
  });

  it("keeps the extension in a console's name, also when it moves the file", { tags: ["long"] }, async () => {
    const { id } = await author.make("named.sql", { access: "workspace", content: "select 1" });
    const clone = await fresh();
    await commit(clone, "Edit", { "consoles/named.sql": "select 2" });
    await push(clone);
    expect(await read(id)).toMatchObject({ name: "named.sql", path: "named", content: "select 2" });
    await rename(join(clone, "consoles/named.sql"), join(clone, "consoles/renamed.sql"));
    await commit(clone, "Move");
    await push(clone);
    expect(await read(id)).toMatchObject({ name: "renamed.sql", path: "renamed" });
  });

  it("adds consoles in new folders, moves, renames and deletes them", async () => {
    const clone = await fresh();
    await commit(clone, "Add", {
      "consoles/a/b/new.sql": "select 'new'\n",
      "consoles/a/mongo.mongodb": "db.a.find()\n",
    });
    await push(clone);
    const made = await byPath("a/b/new");
    expect(made).toMatchObject({
      name: "new",
      access: "workspace",
      ownerId: world.owner.id,
      version: 1,
      language: "sql",
    });
    expect(await byPath("a/mongo")).toMatchObject({ language: "mongodb", connectionId: null });
    const folders = (await author.send("GET", "/folders")).json.data;
    expect(folders.map(({ path }: { path: string }) => path).sort()).toEqual(expect.arrayContaining(["a", "a/b"]));
    expect(await read(made.id)).toMatchObject({ content: "select 'new'\n" });
    expect(await author.story(made.id)).toEqual(["added consoles/a/b/new.sql: Add"]);

    await mkdir(join(clone, "consoles/c"), { recursive: true });
    await rename(join(clone, "consoles/a/b/new.sql"), join(clone, "consoles/c/moved.sql"));
    await commit(clone, "Move");
    await commit(clone, "Edit after the move", { "consoles/c/moved.sql": "select 'moved'\n" });
    await push(clone);
    expect(await read(made.id)).toMatchObject({ path: "c/moved", name: "moved", content: "select 'moved'\n" });
    const inC = (await author.send("GET", "/folders")).json.data.find(({ path }: { path: string }) => path === "c");
    expect((await read(made.id)).folderId).toBe(inC.id);
    expect(await author.story(made.id)).toHaveLength(3);

    await commit(clone, "Delete", { "consoles/c/moved.sql": null });
    await push(clone);
    expect((await author.send("GET", `/${made.id}`)).status).toBe(404);
    // As after a deletion in the product, it can be restored.
    expect((await author.send("POST", `/${made.id}/restore`)).status).toBe(200);
    await git(clone, "pull", "--quiet", "origin", "main");
    expect(await gitLines(clone, "show", "HEAD:consoles/c/moved.sql")).toEqual(["select 'moved'"]);
  });

  it("swaps two names, and changes a name's case alone", { tags: ["long"] }, async () => {
    const [one, two, cased] = await Promise.all(
      ["one", "two", "cased"].map((name) => author.make(name, { access: "workspace", content: `select '${name}'` })),
    );
    const clone = await fresh();
    for (const [from, to] of [
      ["one", "x"],
      ["two", "one"],
      ["x", "two"],
      ["cased", "y"],
      ["y", "Cased"],
    ] as const) {
      await rename(join(clone, `consoles/${from}.sql`), join(clone, `consoles/${to}.sql`));
    }
    await commit(clone, "Swap");
    await push(clone);
    const texts = await Promise.all(["one", "two", "Cased"].map(async (path) => read((await byPath(path)).id)));
    expect(texts.map(({ content }) => content)).toEqual(["select 'two'", "select 'one'", "select 'cased'"]);
    expect(texts.map(({ id }) => id)).toEqual([two?.id, one?.id, cased?.id]);
    expect(await author.story(one?.id ?? "")).toEqual([
      "renamed consoles/two.sql: Swap",
      "added consoles/one.sql: Create one",
    ]);
    // Each can be saved again.
    for (const { id, version } of texts)
      expect((await author.save(id, { version, content: "select 9" })).status).toBe(200);
  });

  it("keeps a console that a commit moves and edits, and not one that it replaces", async () => {
    const text = "select id, name\nfrom customers\nwhere country = 'AT'\norder by name\n";
    const { id } = await author.make("mixed", { access: "workspace", content: text });
    const replaced = await author.make("replaced", { access: "workspace", content: text });
    const clone = await fresh();
    await commit(clone, "Move and edit", {
      "consoles/mixed.sql": null,
      "consoles/moved/mixed.sql": text.replace("'AT'", "'DE'"),
      "consoles/replaced.sql": null,
      "consoles/other.sql": "delete from t\n",
    });
    await push(clone);
    expect(await read(id)).toMatchObject({ path: "moved/mixed", content: text.replace("'AT'", "'DE'") });
    expect(await author.story(id)).toEqual([
      "renamed consoles/moved/mixed.sql: Move and edit",
      "added consoles/mixed.sql: Create mixed",
    ]);
    expect((await author.send("GET", `/${replaced.id}`)).status).toBe(404);
    expect((await byPath("other")).id).not.toBe(replaced.id);
  });

  it("keeps consoles that move along in a row or a circle, and one that is copied and edited", {
    tags: ["long"],
  }, async () => {
    const names = ["row-1", "row-2", "ring-1", "ring-2", "ring-3", "copied"];
    const made = await Promise.all(
      names.map((name) => author.make(name, { access: "workspace", content: `select '${name}'` })),
    );
    const clone = await fresh();
    await commit(clone, "Rotate", {
      "consoles/row-1.sql": null,
      "consoles/row-2.sql": "select 'row-1'",
      "consoles/row-3.sql": "select 'row-2'",
      "consoles/ring-1.sql": "select 'ring-3'",
      "consoles/ring-2.sql": "select 'ring-1'",
      "consoles/ring-3.sql": "select 'ring-2'",
      "consoles/copied.sql": "select 'edited'",
      "consoles/copy.sql": "select 'copied'",
    });
    await push(clone);
    const paths = await Promise.all(made.map(async ({ id }) => (await read(id)).path));
    expect(paths).toEqual(["row-2", "row-3", "ring-2", "ring-3", "ring-1", "copied"]);
  });

  it("keeps a console that one commit moves and the next one rewrites", { tags: ["long"] }, async () => {
    const { id } = await author.make("rewritten", { access: "workspace", content: "select 1\n" });
    const clone = await fresh();
    await git(clone, "mv", "consoles/rewritten.sql", "consoles/new-name.sql");
    await commit(clone, "Move");
    await commit(clone, "Rewrite", { "consoles/new-name.sql": "delete from everything\nwhere true\n" });
    await push(clone);
    expect(await read(id)).toMatchObject({ path: "new-name", content: "delete from everything\nwhere true\n" });
  });

  describe("that brings a deleted file back", () => {
    const TEXT = "select a\nfrom t\nwhere b\n";
    const SCHEDULE = { cron: "0 6 * * *", timezone: "UTC", enabled: false };

    it("restores the console with its id, history, access and schedule", async () => {
      const member = await seedMember(world.owner.workspaceId, "member");
      const hers = authorOf({ key: await world.keyOf(member) }, world.owner.workspaceId);
      const connectionId = (await send("GET", "/connectors")).json.data[0].id;
      const content = { access: "workspace", content: TEXT, connectionId, chart: { mark: "bar" } };
      const pushed = await hers.make("back", content);
      expect((await hers.send("PUT", `/${pushed.id}/schedule`, SCHEDULE)).status).toBe(200);
      const before = await read(pushed.id);
      const clone = await fresh();
      await commit(clone, "Delete", { "consoles/back.sql": null });
      await push(clone);
      expect((await author.send("GET", `/${pushed.id}`)).status).toBe(404);
      await git(clone, ...ME, "revert", "--no-edit", "HEAD");
      await push(clone);
      const { version, updatedAt, ...kept } = before;
      expect(await read(pushed.id)).toMatchObject({ ...kept, version: version + 1 });
      expect((await read(pushed.id)).schedule).toMatchObject({ ...SCHEDULE, ownerId: member.id });
      expect((await author.story(pushed.id)).map((each: string) => each.split(" ")[0])).toEqual([
        "added",
        "deleted",
        "modified",
        "added",
      ]);
      expect(await collections.deletedConsoles().countDocuments({ _id: new ObjectId(pushed.id) })).toBe(0);
      expect(updatedAt).not.toBe((await read(pushed.id)).updatedAt);
    });

    it("restores it after a deletion in Millrace, with edits, by a merge, and again", { tags: ["long"] }, async () => {
      const { id } = await author.make("again", { access: "workspace", content: TEXT });
      expect((await author.send("DELETE", `/${id}`)).status).toBeLessThan(300);
      const clone = await fresh();
      await commit(clone, "Back, edited", { "consoles/again.sql": TEXT.replace("where b", "where c") });
      await push(clone);
      expect(await read(id)).toMatchObject({ content: TEXT.replace("where b", "where c"), version: 2 });

      await commit(clone, "Delete", { "consoles/again.sql": null });
      await push(clone);
      await git(clone, "checkout", "--quiet", "-b", "side");
      await git(clone, ...ME, "revert", "--no-edit", "HEAD");
      await git(clone, "checkout", "--quiet", "main");
      await git(clone, ...ME, "merge", "--quiet", "--no-ff", "--no-edit", "side");
      await push(clone);
      expect(await read(id)).toMatchObject({ path: "again", version: 3 });
      const index = await storedIndex(world.workspaceId);
      await rebuildIndex(world.workspaceId);
      expect(await storedIndex(world.workspaceId)).toEqual(index);
    });

    it("adds a new console if the text is another, or the old one has another place", { tags: ["long"] }, async () => {
      const gone = await author.make("reused", { access: "workspace", content: TEXT });
      const moved = await author.make("moved-away", { access: "workspace", content: `${TEXT}order by c\n` });
      const clone = await fresh();
      await git(clone, "mv", "consoles/moved-away.sql", "consoles/moved-here.sql");
      await commit(clone, "Delete and move", { "consoles/reused.sql": null });
      await commit(clone, "Reuse", {
        "consoles/reused.sql": "delete from x\n",
        "consoles/moved-away.sql": `${TEXT}order by c\n`,
      });
      await push(clone);
      expect((await byPath("reused")).id).not.toBe(gone.id);
      expect((await byPath("moved-away")).id).not.toBe(moved.id);
      expect((await byPath("moved-here")).id).toBe(moved.id);
    });

    it("is rejected if its owner has made the console private", async () => {
      const { id } = await author.make("taken-back", { access: "workspace", content: TEXT });
      await author.save(id, { version: 1, access: "private" });
      const clone = await fresh();
      await git(clone, ...ME, "revert", "--no-edit", "HEAD");
      expect(await refusal(clone)).toContain("consoles/taken-back.sql was made private by its owner");
      await git(clone, "reset", "--quiet", "--hard", "origin/main");
      await commit(clone, "Another", { "consoles/taken-back.sql": "delete from y\n" });
      await push(clone);
      expect((await byPath("taken-back")).id).toBeTruthy();
      expect(await read(id)).toMatchObject({ access: "private", content: TEXT });
    });
  });

  describe("with a commit that brings a private console back, and a later one that", () => {
    const TEXT = "select secret\nfrom salaries\nwhere country = 'AT'\norder by name\n";
    let takenBack = 0;
    /** Returns the file of a console that its owner has made private, and a clone. */
    async function takeBack() {
      const name = `secret-${takenBack++}`;
      const { id } = await author.make(name, { access: "workspace", content: TEXT });
      await author.save(id, { version: 1, access: "private" });
      return { file: `consoles/${name}.sql`, clone: await fresh() };
    }
    const refused = async (clone: string, file: string, ref = "main") => {
      const before = await readMain(world.workspaceId);
      const sha = (await gitLines(clone, "log", "--format=%h", "--abbrev=7", "--grep=Back", "-1", "HEAD"))[0];
      const reason = await git(clone, "push", "--quiet", "origin", `HEAD:${ref}`).then(
        () => "accepted",
        ({ stderr }: { stderr: string }) => stderr,
      );
      expect(reason).toContain(`${file} was made private by its owner. Remove it from commit ${sha}`);
      expect(await readMain(world.workspaceId)).toEqual(before);
    };

    const LATER: [string, (clone: string, file: string) => Promise<unknown>][] = [
      ["deletes it", (clone, file) => commit(clone, "Out", { [file]: null })],
      ["renames it", (clone, file) => git(clone, "mv", file, "consoles/other-name.sql")],
      ["moves it out of the consoles", (clone, file) => commit(clone, "Doc", { [file]: null, "docs/x.md": TEXT })],
      ["replaces its text", (clone, file) => commit(clone, "Replace", { [file]: "select 1\n" })],
    ];
    for (const { tags, cases } of splitCases(LATER, 2))
      it.each(cases)("%s is rejected on main and for review", { tags }, async (_, next) => {
        const { clone, file } = await takeBack();
        await commit(clone, "Back", { [file]: TEXT.replace("'AT'", "'DE'") });
        await next(clone, file);
        await commit(clone, "Next");
        await refused(clone, file);
        await refused(clone, file, "review/secret");
        await expect(git(clone, "push", "--quiet", "-o", "dry-run", "origin", "HEAD:main")).rejects.toThrow("private");
      });

    it("deletes it is rejected in the side of a merge, in the merge itself, and after another text", async () => {
      const side = await takeBack();
      await git(side.clone, "checkout", "--quiet", "-b", "side");
      await commit(side.clone, "Back", { [side.file]: TEXT });
      await commit(side.clone, "Out", { [side.file]: null });
      await git(side.clone, "checkout", "--quiet", "main");
      await commit(side.clone, "Other", { "docs/other.md": "Other\n" });
      await git(side.clone, ...ME, "merge", "--quiet", "--no-ff", "--no-edit", "side");
      await refused(side.clone, side.file);

      // The second parent of this merge has the file, and has landed.
      const merge = await takeBack();
      await git(merge.clone, ...ME, "merge", "--quiet", "-s", "ours", "--no-ff", "--no-commit", "HEAD~1").catch(
        () => null,
      );
      const tree = (await gitLines(merge.clone, "rev-parse", "HEAD~1^{tree}"))[0] ?? "";
      const parents = ["-p", "HEAD", "-p", "HEAD~1"];
      const made = (await gitLines(merge.clone, ...ME, "commit-tree", tree, ...parents, "-m", "Back"))[0] ?? "";
      await git(merge.clone, "reset", "--quiet", "--hard", made);
      await commit(merge.clone, "Out", { [merge.file]: null });
      await refused(merge.clone, merge.file);

      const edited = await takeBack();
      await commit(edited.clone, "Add", { [edited.file]: "delete from y\n" });
      await commit(edited.clone, "Back", { [edited.file]: TEXT });
      await commit(edited.clone, "Out", { [edited.file]: null });
      await refused(edited.clone, edited.file);
    });

    it("deletes it is rejected when its review is merged", { tags: ["long"] }, async () => {
      const { id } = await author.make("shared-then", { access: "workspace", content: TEXT });
      const file = "consoles/shared-then.sql";
      const clone = await fresh();
      await commit(clone, "Out", { [file]: null });
      await commit(clone, "Back", { [file]: TEXT });
      await commit(clone, "Out again", { [file]: null, "docs/reviewed.md": "Reviewed\n" });
      await git(clone, "push", "--quiet", "origin", "HEAD:review/shared-then");
      await author.save(id, { version: 1, access: "private" });
      const review = (await send("GET", "/reviews/shared-then")).json.data;
      const answer = await send("POST", "/reviews/shared-then/merge", { sha: review.sha });
      expect([answer.status, answer.text]).toEqual([409, expect.stringContaining(`${file} was made private`)]);
      expect(await read(id)).toMatchObject({ access: "private", content: TEXT });
    });

    it("edits the new file with another text is accepted, and so is a branch from before it was private", {
      tags: ["long"],
    }, async () => {
      const { clone, file } = await takeBack();
      await commit(clone, "Another", { [file]: "delete from y\n" });
      await commit(clone, "Edit", { [file]: "delete from z\n" });
      await push(clone);
      const { id } = await author.make("kept-away", { access: "workspace", content: TEXT });
      const old = await fresh();
      await git(old, "checkout", "--quiet", "-b", "old");
      await commit(old, "Edit", { "consoles/kept-away.sql": TEXT.replace("'AT'", "'DE'"), "docs/old.md": "Old\n" });
      await author.save(id, { version: 1, access: "private" });
      await git(old, "checkout", "--quiet", "main");
      await git(old, "pull", "--quiet", "origin", "main");
      await git(old, ...ME, "merge", "--quiet", "--no-edit", "old").catch(() => null);
      await commit(old, "Without it", { "consoles/kept-away.sql": null }).catch(() => null);
      await push(old);
      expect(await read(id)).toMatchObject({ access: "private", content: TEXT });
    });
  });

  it("changes dashboards, also together with consoles and apps", async () => {
    const made = (await send("POST", "/dashboards", { title: "Board", access: "workspace" })).json.data;
    const clone = await fresh();
    const board = JSON.parse((await git(clone, "show", "HEAD:dashboards/Board.json")).stdout);
    await commit(clone, "Both", {
      "dashboards/Board.json": `${JSON.stringify({ ...board, title: "Board of Bo", widgets: [widget] })}\n`,
      "dashboards/team/Pushed.json": dashboardFile(),
      "consoles/both.sql": "select 1\n",
      "apps/shop/a.ts": "1\n",
    });
    await push(clone);
    expect((await send("GET", `/dashboards/${made.id}`)).json.data).toMatchObject({
      title: "Board of Bo",
      version: 2,
      widgets: [{ id: "w" }],
    });
    const { json } = await send("GET", "/dashboards?limit=200");
    expect(json.data.find(({ path }: { path: string }) => path === "team/Pushed")).toMatchObject({
      title: "Pushed",
      access: "workspace",
      ownerId: world.owner.id,
    });
    expect(await byPath("both")).not.toBeNull();
  });

  it("of several commits shows the last state alone, and lists each in the history", { tags: ["long"] }, async () => {
    const clone = await fresh();
    await commit(clone, "First", { "consoles/many.sql": "select 1\n", "consoles/gone.sql": "select 1\n" });
    await commit(clone, "Second", { "consoles/many.sql": "select 2\n", "consoles/gone.sql": null });
    await push(clone);
    const { id } = await byPath("many");
    expect(await read(id)).toMatchObject({ content: "select 2\n", version: 1 });
    expect(await author.story(id)).toEqual(["modified consoles/many.sql: Second", "added consoles/many.sql: First"]);
    expect(await byPath("gone")).toBeNull();
  });

  it("leaves private consoles alone, also at the path of a shared one", async () => {
    const mine = await author.make("twin", { content: "select 'private'" });
    const clone = await fresh();
    await commit(clone, "Twin", { "consoles/twin.sql": "select 'shared'\n" });
    await push(clone);
    expect((await read(mine.id)).content).toBe("select 'private'");
    expect((await collections.consoles().find({ workspaceId: world.workspaceId, path: "twin" }).toArray()).length).toBe(
      2,
    );
  });

  it("deletes everything, and brings it back by a revert", { tags: ["long"] }, async () => {
    const clone = await fresh();
    const paths = await gitLines(clone, "ls-files", "consoles");
    const shared = { workspaceId: world.workspaceId, space: "workspace" };
    const ids = async () =>
      (await collections.consoles().find(shared).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
    const before = await ids();
    await git(clone, "rm", "-r", "--quiet", "consoles");
    await commit(clone, "Delete all");
    await push(clone);
    expect(await collections.consoles().countDocuments({ workspaceId: world.workspaceId, space: "workspace" })).toBe(0);
    await git(clone, ...ME, "revert", "--no-edit", "HEAD");
    await push(clone);
    expect(before).toHaveLength(paths.length);
    expect(await ids()).toEqual(before);
    await withExport(world.workspaceId, async () => undefined);
  });

  it("announces each changed item, and itself once, with its commit, its user and the number of files", async () => {
    const [edited, gone] = await Promise.all(
      ["told", "told-gone"].map((name) => author.make(name, { access: "workspace", content: "select 1" })),
    );
    const clone = await fresh();
    const sha = await commit(clone, "Tell", {
      "consoles/told.sql": "select 2",
      "consoles/told-gone.sql": null,
      "apps/told/a.ts": "1\n",
    });
    await push(clone);
    const pushed = { userId: world.owner.id, push: { sha: sha.slice(0, 7), name: "Olga", files: 3 } };
    expect(await lastEvent("console", edited?.id)).toMatchObject({ ...pushed, version: 2 });
    expect(await lastEvent("console", gone?.id)).toMatchObject({ ...pushed, deleted: true });
    expect(await lastEvent("push", world.owner.workspaceId)).toMatchObject(pushed);
    const ofApps = await commit(clone, "App", { "apps/told/a.ts": "2\n" });
    await push(clone);
    expect(await lastEvent("push", world.owner.workspaceId)).toMatchObject({
      push: { sha: ofApps.slice(0, 7), files: 1 },
    });
    await author.save(edited?.id ?? "", { version: 2, content: "select 3" });
    expect(await lastEvent("console", edited?.id)).not.toHaveProperty("push");
  });

  it.each([
    [
      "a source of another workspace",
      {
        "dashboards/x.json": dashboardFile({
          datasets: [
            {
              id: "d",
              name: "d",
              source: { connectionId: new ObjectId().toHexString(), query: "select 1" },
              maxAgeS: null,
            },
          ],
        }),
      },
      /dashboards\/x\.json: Connection not found/,
    ],
    [
      "more than eight levels of folders",
      { "consoles/1/2/3/4/5/6/7/8/9/x.sql": "1" },
      /consoles\/1\/2.*up to 8 levels/,
    ],
    [
      "a file with the name of an empty folder",
      { "consoles/empty.sql": "1" },
      /consoles\/empty\.sql has the name of a folder/,
    ],
  ])("with %s is rejected completely, with path and reason", async (_, files: Record<string, string>, reason) => {
    if (files["consoles/empty.sql"]) await author.makeFolder("empty.sql", { access: "workspace" });
    const clone = await fresh();
    const before = await readMain(world.workspaceId);
    await commit(clone, "Bad", { "consoles/fine.sql": "select 1\n", ...files });
    expect(await refusal(clone)).toMatch(reason);
    expect(await readMain(world.workspaceId)).toEqual(before);
    expect(await byPath("fine")).toBeNull();
  });

  it("at the place of a console that git lost is rejected, until it is saved again", async () => {
    const { id } = await author.make("lost", { access: "workspace", content: "select 'kept'" });
    await world.save("Lost", [{ kind: "delete", path: "consoles/lost.sql" }]);
    const clone = await fresh();
    await commit(clone, "Take its place", { "consoles/Lost.sql": "select 'pushed'\n" });
    expect(await refusal(clone)).toContain("consoles/lost.sql exists in Millrace, but not in git");
    expect((await author.save(id, { version: 1 })).status).toBe(200);
    await git(clone, "fetch", "--quiet", "origin");
    await git(clone, "reset", "--quiet", "--hard", "origin/main");
    expect(await gitLines(clone, "show", "HEAD:consoles/lost.sql")).toEqual(["select 'kept'"]);
  });

  it("by a member or with a read-only key changes nothing", async () => {
    const member = await seedMember(world.owner.workspaceId, "member");
    const clone = await fresh();
    const before = await readMain(world.workspaceId);
    await commit(clone, "Member", { "consoles/member.sql": "select 1\n" });
    for (const key of [await world.keyOf(member), await world.keyOf(world.owner, "read")]) {
      await git(clone, "remote", "set-url", "origin", world.urlFor(key));
      expect(await refusal(clone)).toMatch(/only admins can push to main|read-only/);
    }
    expect(await readMain(world.workspaceId)).toEqual(before);
  });

  it("and another one and a save at the same moment: none is lost", async () => {
    const { id } = await author.make("met", { access: "workspace", content: "select 0" });
    const clones = await Promise.all([fresh(), fresh()]);
    for (const [n, clone] of clones.entries()) await commit(clone, `${n}`, { [`consoles/met-${n}.sql`]: "select 1\n" });
    const [saved, ...pushed] = await Promise.allSettled([
      author.save(id, { version: 1, content: "select 1" }),
      ...clones.map((clone) => push(clone)),
    ]);
    expect(saved).toMatchObject({ status: "fulfilled", value: { status: 200 } });
    for (const [n, clone] of clones.entries()) {
      if (pushed[n]?.status === "fulfilled") continue;
      await git(clone, ...ME, "pull", "--rebase", "--quiet", "origin", "main");
      await push(clone);
    }
    expect((await read(id)).content).toBe("select 1");
    const files = await gitLines(await fresh(), "ls-files", "consoles");
    expect(files).toEqual(
      expect.arrayContaining(["met.sql", "met-0.sql", "met-1.sql"].map((name) => `consoles/${name}`)),
    );
    expect([await byPath("met-0"), await byPath("met-1")]).not.toContain(null);
  });

  it("and a save at the same moment: one of them is first, and none is lost", async () => {
    const { id } = await author.make("raced", { access: "workspace", content: "select 0" });
    const clone = await fresh();
    await commit(clone, "Race", { "consoles/other.sql": "select 'pushed'\n" });
    const [pushed, saved] = await Promise.allSettled([
      push(clone),
      author.save(id, { version: 1, content: "select 1" }),
    ]);
    expect(saved).toMatchObject({ status: "fulfilled", value: { status: 200 } });
    if (pushed.status === "rejected") {
      await git(clone, ...ME, "pull", "--rebase", "--quiet", "origin", "main");
      await push(clone);
    }
    expect((await read(id)).content).toBe("select 1");
    expect(await byPath("other")).not.toBeNull();
    const files = await gitLines(await fresh(), "ls-files", "consoles");
    expect(files).toEqual(expect.arrayContaining(["consoles/raced.sql", "consoles/other.sql"]));
  });
});

describe("a query that can't run", () => {
  const BAD = "select 1;\nselect 2 form t\n";
  const matter = (name: string, sql: string) => `/* ---\nconnection: ${name}\n--- */\n${sql}`;
  beforeAll(async () => {
    const connection = (name: string, type: string, readOnly: boolean): ConnectionDoc => ({
      _id: new ObjectId(),
      workspaceId: world.workspaceId,
      ...{ name, type, readOnly, category: "database", config: {}, secrets: {}, status: "untested" },
      ...{ lastTestedAt: null, lastError: null, createdBy: new ObjectId(world.owner.id) },
      ...{ createdAt: new Date(), updatedAt: new Date() },
    });
    await collections
      .connections()
      .insertMany([
        connection("Reader", "postgres", true),
        connection("Writer", "postgres", false),
        connection("Documents", "mongodb", true),
        connection("Maria", "mysql", true),
        connection("Lake", "duckdb", false),
        connection("Lite", "sqlite", true),
      ]);
  });

  it.each([
    ["x.sql", matter("Reader", BAD), /consoles\/x\.sql: line 5, column 15: syntax error at or near "t"/],
    ["x.sql", matter("Reader", "select {{a}} form\n  {{b}}"), /line 5, column 3: syntax error at or near \{\{b\}\}/],
    ["x.sql", matter("Lake", BAD), /consoles\/x\.sql: line 5, column 15: syntax error at or near "t"/],
    ["x.sql", matter("Lake", "from t limit {{a}} form\n"), /line 4, column 20: syntax error at or near "form"/],
    ["x.sql", matter("Lite", `${BAD.replace("t\n", "t u\n")}`), /line 5, column 15: near "t": syntax error/],
    ["x.sql", matter("Lite", "select (1 +\n"), /consoles\/x\.sql: incomplete input/],
    ["x.mongodb", matter("Documents", "db.a.find({})\ndb.b.find({a: })\n"), /x\.mongodb: line 5, column 15: /],
  ])("in %s is rejected with its line and column: %j", async (file, text, reason) => {
    const clone = await fresh();
    await commit(clone, "Bad", { [`consoles/${file}`]: text, "consoles/fine-query.sql": "select 1\n" });
    expect(await refusal(clone)).toMatch(reason);
    expect(await byPath("fine-query")).toBeNull();
  });

  it("is accepted where only the server can tell", { tags: ["long"] }, async () => {
    const clone = await fresh();
    await commit(clone, "Fine", {
      "consoles/sure/several.sql": matter(
        "Reader",
        "select a.b(1) from nowhere;\n\nselect {{a}}::int, '{{b}} form'; -- form\n",
      ),
      "consoles/sure/newer.sql": matter("Writer", BAD),
      "consoles/sure/other.sql": matter("Maria", BAD),
      "consoles/sure/lake.sql": matter(
        "Lake",
        "from nowhere select columns('a') where b = {{b}};\n\npivot t on a using sum(b);\nset x = {{c}}; drop table {{t}}",
      ),
      "consoles/sure/lite.sql": matter(
        "Lite",
        "create trigger a after insert on b begin select 1; select {{c}}; end;\nselect f(1) from nowhere -- form",
      ),
      "consoles/sure/optional.sql": matter("Reader", "select 1 from t where true [[and a = {{a}}]]"),
      "consoles/sure/list.sql": matter("Reader", "select 1 [[, {{a}} ]] from t [[where a = {{b}}]]"),
      "consoles/sure/none.sql": BAD,
      "consoles/sure/language.mongodb": matter("Reader", "db.a.find({})"),
      "consoles/sure/docs.mongodb": matter(
        "Documents",
        "// all\ndb.a.find({a: {{b}}})\n\ndb.b.find({})\n  .limit(1)\n",
      ),
    });
    await push(clone);
    expect(await byPath("sure/several")).not.toBeNull();
  });

  it("may be saved in Millrace, and then moved, scheduled, deleted and restored by pushes", {
    tags: ["long"],
  }, async () => {
    const [{ _id }] = (await collections
      .connections()
      .find({ workspaceId: world.workspaceId, name: "Reader" })
      .toArray()) as [ConnectionDoc];
    const made = { access: "workspace", content: BAD, connectionId: _id.toHexString() };
    const { id } = await author.make("unfinished", made);
    const clone = await fresh();
    await git(clone, "mv", "consoles/unfinished.sql", "consoles/unfinished-2.sql");
    await commit(clone, "Move");
    await push(clone);
    await commit(clone, "Describe", { "consoles/unfinished-2.sql": matter("Reader\ndescription: Later", BAD) });
    await push(clone);
    await commit(clone, "Delete", { "consoles/unfinished-2.sql": null });
    await push(clone);
    await git(clone, ...ME, "revert", "--no-edit", "HEAD");
    await push(clone);
    expect(await read(id)).toMatchObject({ path: "unfinished-2", description: "Later", content: BAD });
    await commit(clone, "Edit", { "consoles/unfinished-2.sql": matter("Reader", `${BAD}-- more\n`) });
    expect(await refusal(clone)).toContain("unfinished-2.sql: line 5, column 15");
  });
});

describe("the front matter of a console", () => {
  const SQL = "select 1\n";
  const fileOf = async (clone: string, path: string) => (await git(clone, "show", `HEAD:consoles/${path}.sql`)).stdout;
  let connectionId: string;
  let name: string;
  beforeAll(async () => {
    ({ id: connectionId, name } = (await send("GET", "/connectors")).json.data[0]);
  });

  it("names connection and schedule, whose changes are commits of the version that stays", async () => {
    const { id } = await author.make("matter", { access: "workspace", content: SQL, connectionId });
    const clone = await fresh();
    expect(await fileOf(clone, "matter")).toBe(`/* ---\nconnection: ${name}\n--- */\n${SQL}`);
    const schedule = { cron: "0 6 * * *", timezone: "Europe/Vienna", enabled: false };
    expect((await author.send("PUT", `/${id}/schedule`, schedule)).status).toBe(200);
    await git(clone, "pull", "--quiet", "origin", "main");
    expect(await fileOf(clone, "matter")).toContain("  timezone: Europe/Vienna\n  enabled: false\n");
    expect((await read(id)).version).toBe(1);
    // The texts that the product shows have no front matter, unless nothing else differs.
    const { items } = (await author.send("GET", `/${id}/git/history`)).json.data;
    expect(items.map(({ subject }: { subject: string }) => subject)).toEqual(["Schedule matter", "Create matter"]);
    expect(items.map(({ additions }: { additions: number }) => additions)).toEqual([4, 1]);
    const first = (await author.send("GET", `/${id}/git/commit?sha=${items[1].sha}`)).json.data.files[0];
    expect(first).toMatchObject({ before: null, after: SQL, additions: 1 });
    const second = (await author.send("GET", `/${id}/git/commit?sha=${items[0].sha}`)).json.data.files[0];
    expect(second.after).toContain("timezone: Europe/Vienna");
    expect((await author.send("POST", `/${id}/git/restore`, { sha: items[0].sha })).json.data.content).toBe(SQL);
    expect((await author.send("DELETE", `/${id}/schedule`)).status).toBeLessThan(300);
    await git(clone, "pull", "--quiet", "origin", "main");
    expect(await fileOf(clone, "matter")).not.toContain("schedule");
  });

  it("changes connection, schedule and chart by a push", async () => {
    const { id } = await author.make("settings", { access: "workspace", content: SQL });
    const clone = await fresh();
    const push1 = `/* ---\nconnection: ${name}\nschedule: {cron: "0 7 * * 1", timezone: UTC}\nchart: {mark: bar}\n--- */\n${SQL}`;
    await commit(clone, "Set", { "consoles/settings.sql": push1 });
    await push(clone);
    expect(await read(id)).toMatchObject({
      content: SQL,
      connectionId,
      chart: { mark: "bar" },
      schedule: { cron: "0 7 * * 1", timezone: "UTC", enabled: true, ownerId: world.owner.id },
    });
    await commit(clone, "Unset", { "consoles/settings.sql": "select 2\n" });
    await push(clone);
    expect(await read(id)).toMatchObject({ content: "select 2\n", connectionId: null, chart: null, schedule: null });
  });

  it("carries description, default values and conditions both ways", { tags: ["long"] }, async () => {
    const settings = { description: "Open orders", variables: { country: "AT", limit: 10 }, expect: { minRows: 1 } };
    const { id } = await author.make("carried", { access: "workspace", content: SQL, ...settings });
    const clone = await fresh();
    expect(await fileOf(clone, "carried")).toBe(
      `/* ---\ndescription: Open orders\nvariables:\n  country: AT\n  limit: 10\nexpect:\n  minRows: 1\n--- */\n${SQL}`,
    );
    await commit(clone, "Set", {
      "consoles/carried.sql": `/* ---\ndescription: Paid orders\nvariables: {since: {type: date, value: 2026-05-31}}\n--- */\n${SQL}`,
    });
    await push(clone);
    const pushed = {
      description: "Paid orders",
      variables: { since: { type: "date", value: "2026-05-31" } },
      expect: null,
    };
    expect(await read(id)).toMatchObject({ ...pushed, content: SQL, version: 2 });
    expect((await byPath("carried")).description).toBe("Paid orders");
    expect((await author.send("GET", "/search?q=paid%20carried")).json.data[0]).toMatchObject({ id, snippet: null });
    await author.save(id, { version: 2, description: "", variables: null });
    await git(clone, "pull", "--quiet", "origin", "main");
    expect(await fileOf(clone, "carried")).toBe(SQL);
  });

  it("carries a question both ways, tells an edited query, and reads one of another version as a query", async () => {
    const question = { table: { name: "orders" }, limit: 5, timezone: "UTC" };
    const { id } = await author.make("asked", { access: "workspace", content: SQL, question });
    const clone = await fresh();
    const file = await fileOf(clone, "asked");
    expect(file).toContain("question:\n  table:\n    name: orders\n");
    await commit(clone, "Edit", { "consoles/asked.sql": file.replace(SQL, `${SQL}-- edited\n`) });
    await push(clone);
    expect((await read(id)).question).toMatchObject({ ...question, isCurrent: false });
    await commit(clone, "Revert", { "consoles/asked.sql": file });
    await push(clone);
    expect((await read(id)).question).toMatchObject({ ...question, isCurrent: true });
    // The query is not the one of the changed question.
    expect(file).toContain("  limit: 5\n");
    await commit(clone, "Limit", { "consoles/asked.sql": file.replace("  limit: 5\n", "  limit: 6\n") });
    await push(clone);
    expect((await read(id)).question).toMatchObject({ limit: 6, isCurrent: false });
    const moved = file.replace("  limit: 5\n", "").replace("question:\n", "question:\n  limit: 5\n");
    await commit(clone, "Order", { "consoles/asked.sql": moved });
    await push(clone);
    expect((await read(id)).question).toMatchObject({ ...question, isCurrent: true });
    const later = file.replace("  table:", "  tables: [orders]\n  table: orders\n  other:");
    await commit(clone, "Later", { "consoles/asked.sql": later });
    await push(clone);
    expect(await read(id)).toMatchObject({ content: SQL, question: null });
    await author.save(id, { version: 6, description: "Orders" });
    await git(clone, "pull", "--quiet", "origin", "main");
    expect(await fileOf(clone, "asked")).toContain("tables:\n    - orders\n  table: orders\n");
  });

  it("keeps settings that a file from before it had front matter does not name", async () => {
    const { id } = await author.make("old", { access: "workspace", content: SQL, connectionId });
    await author.send("PUT", `/${id}/schedule`, { cron: "0 6 * * *", timezone: "UTC", enabled: true });
    const { oid } = await readMain(world.workspaceId);
    // As an older version wrote it.
    await world.save("Old", [{ kind: "put", path: "consoles/old.sql", content: SQL, fileId: id }]);
    expect((await readMain(world.workspaceId)).oid).not.toBe(oid);
    const clone = await fresh();
    await commit(clone, "Edit", { "consoles/old.sql": "select 2\n" });
    await push(clone);
    expect(await read(id)).toMatchObject({ content: "select 2\n", connectionId, schedule: { cron: "0 6 * * *" } });
  });

  it.each([
    ["an unknown connection", "connection: Nowhere", /consoles\/bad\.sql: connection: “Nowhere” not found/],
    [
      "a schedule without a connection",
      'schedule: {cron: "0 6 * * *"}',
      /consoles\/bad\.sql: schedule: Add a connection/,
    ],
    ["a bad schedule", 'schedule: {cron: "* *"}', /consoles\/bad\.sql is not a valid console: schedule: /],
    [
      "an unknown key",
      "conection: Shop",
      /consoles\/bad\.sql is not a valid console \(line 2\): “conection” is unknown/,
    ],
  ])("with %s is rejected, with path and reason", async (_, yaml, reason) => {
    const clone = await fresh();
    await commit(clone, "Bad", { "consoles/bad.sql": `/* ---\n${yaml}\n--- */\n${SQL}` });
    expect(await refusal(clone)).toMatch(reason);
    expect(await byPath("bad")).toBeNull();
  });
});
