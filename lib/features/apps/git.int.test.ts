import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { env } from "@/lib/platform/env";
import { LEASE_MS } from "@/lib/platform/work/limits";
import { takeOwnDatabase } from "@/test/database";
import { type AppAuthor, authorOf } from "@/test/fixtures/apps/app-author";
import { cloneTo, type GitWorld, newGitWorld } from "@/test/fixtures/repository/git/git-world";
import { git, gitLines } from "@/test/fixtures/repository/git-command";
import { noteRemoval, sweepAppRemovals } from "./removals";

const own = takeOwnDatabase();
let world: GitWorld;
let url: string;
let olga: AppAuthor;
let mine: string;
beforeAll(async () => {
  env().RATE_LIMIT_SCALE = 100;
  world = await newGitWorld();
  url = world.urlFor(await world.keyOf(world.owner));
  olga = authorOf(world.owner, world.owner.workspaceId);
  mine = `user/${world.owner.id}`;
});
afterAll(async () => {
  await world.end();
  await own.drop();
});

const ME = ["-c", "user.name=Olga", "-c", "user.email=olga@example.com"];
const filesAt = (clone: string, ref: string) => gitLines(clone, "ls-tree", "-r", "--name-only", ref);

describe("an app in a clone by stock git", () => {
  it("is on main and on one's branch as committed, and continues from a push", async () => {
    const app = await olga.make("Git shop", { access: "workspace" });
    const hidden = await olga.make("Hidden", {});
    await olga.write(hidden, "secret.md", "hush");
    await olga.commit(hidden);
    await olga.write(app, "src/a.ts", "one\n");
    const { sha } = (await olga.commit(app, "Begin")).json.data;
    await olga.write(app, "draft.ts", "not committed\n");

    const clone = await cloneTo(world, url, "shop");
    const folder = `apps/${app.slug}`;
    expect((await filesAt(clone, "origin/main")).filter((path) => path.startsWith("apps/"))).toEqual([
      `${folder}/index.html`,
      `${folder}/style.css`,
    ]);
    await git(clone, "checkout", "--quiet", mine);
    expect(await gitLines(clone, "rev-parse", "HEAD")).toEqual([sha]);
    expect(await gitLines(clone, "log", "--format=%s %ae", "-1")).toEqual([`Begin ${world.owner.email}`]);
    expect(await filesAt(clone, mine)).not.toContain(`${folder}/draft.ts`);
    expect((await gitLines(clone, "log", "--all", "--format=%s")).filter((subject) => /Hidden/.test(subject))).toEqual(
      [],
    );

    await writeFile(join(clone, folder, "src", "a.ts"), "two\n");
    await mkdir(join(clone, folder, "bindings"));
    await writeFile(join(clone, folder, "bindings", "b.sql"), "select 1\n");
    await git(clone, "add", "--all");
    await git(clone, ...ME, "commit", "--quiet", "--message", "From outside");
    await git(clone, "push", "--quiet", "origin", mine);

    expect((await olga.read(app, "src/a.ts")).json.data).toMatchObject({ content: "two\n", draft: null });
    expect(await olga.status(app)).toMatchObject({
      ahead: 2,
      behind: 0,
      changes: [
        { path: "bindings/b.sql", status: "added" },
        { path: "src/a.ts", status: "added" },
      ],
      drafts: [{ path: "draft.ts", status: "added" }],
    });
    await olga.commit(app, "From the server");
    await git(clone, "pull", "--quiet", "--ff-only", "origin", mine);
    expect(await readFile(join(clone, folder, "draft.ts"), "utf8")).toBe("not committed\n");
    const { items } = (await olga.send("GET", `/${app.id}/history`)).json.data;
    expect(items.map(({ subject }: { subject: string }) => subject)).toEqual([
      "From the server",
      "From outside",
      "Begin",
      "Add the app Git shop",
    ]);
  });

  it("is removed from main by another server if its own died during the deletion", async () => {
    const app = await olga.make("Left behind", { access: "workspace" });
    const doc = await collections.apps().findOne({ _id: new ObjectId(app.id) });
    if (!doc) throw new Error("The app is not there.");
    const person = { _id: doc.ownerId, name: "Olga", email: world.owner.email, createdAt: new Date() };
    const isOnMain = async () => {
      const clone = await cloneTo(world, url, `left-${Math.random()}`);
      return (await filesAt(clone, "origin/main")).some((path) => path.startsWith(`apps/${app.slug}/`));
    };
    const removals = () => collections.appRemovals().countDocuments();
    /** Two servers sweep after the lease of a server that has stopped its heartbeats. */
    const sweepAfterLease = async () => {
      await collections
        .appRemovals()
        .updateMany({}, [{ $set: { "work.dueAt": { $subtract: ["$work.dueAt", LEASE_MS] } } }]);
      await Promise.all([sweepAppRemovals(), sweepAppRemovals()]);
      await expect.poll(removals).toBe(0);
    };
    // The server died before the app was deleted: the app stays.
    (await noteRemoval(doc, person, "Delete")).claim.drop();
    await sweepAfterLease();
    expect([await isOnMain(), (await olga.send("GET", `/${app.id}`)).status]).toEqual([true, 200]);
    // The server died after that.
    await olga.write(app, "draft.ts", "x");
    (await noteRemoval(doc, person, "Delete")).claim.drop();
    await collections.apps().deleteOne({ _id: doc._id });
    await sweepAppRemovals();
    expect([await isOnMain(), await removals()]).toEqual([true, 1]);
    await sweepAfterLease();
    expect(await isOnMain()).toBe(false);
    expect(await collections.appWorkbenches().countDocuments({ appId: doc._id })).toBe(0);
  });
});
