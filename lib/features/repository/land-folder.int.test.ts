import { afterAll, describe, expect, it } from "vitest";
import { takeOwnDatabase } from "@/test/database";
import { ADA, type Fixture, newRepository, put, remove } from "@/test/fixtures/repository/repository-fixture";
import {
  createBranch,
  filesIn,
  folderIn,
  folderOnBranch,
  landFolder,
  mergeBranches,
  mergeFolder,
  readFile,
} from "./service";

const own = takeOwnDatabase();
afterAll(own.drop);

const BRANCH = "user/ada";
const FOLDER = "apps/shop";

async function withBranch(): Promise<Fixture> {
  const fixture = await newRepository();
  await fixture.save("Add", [put("apps/shop/a.ts", "one\n\ntwo\n"), put("apps/other/b.ts", "1\n")]);
  await createBranch({ repositoryId: fixture.repositoryId, name: BRANCH });
  return fixture;
}
const place = ({ repositoryId }: Fixture) => ({ repositoryId, branch: BRANCH, folder: FOLDER });
const land = (fixture: Fixture, { before, after }: { before: string | null; after: string | null }) =>
  landFolder({ ...place(fixture), before, after, author: ADA, message: "Publish", now: fixture.now() });
const textOf = async ({ repositoryId }: Fixture, path: string, ref = "main") =>
  (await readFile({ repositoryId, path, ref })).content.toString();

describe("a folder merged into main", () => {
  it("has both sides' changes in it, and nothing else of the branch", async () => {
    const fixture = await withBranch();
    await fixture.save("Mine", [put("apps/shop/a.ts", "one!\n\ntwo\n"), put("apps/shop/c.ts", "new")], {
      branch: BRANCH,
    });
    await fixture.save("Elsewhere", [put("apps/other/b.ts", "2\n"), put("consoles/q.sql", "select 1")], {
      branch: BRANCH,
    });
    const theirs = await fixture.save("Theirs", [put("apps/shop/a.ts", "one\n\ntwo!\n")]);
    const merge = await mergeFolder(place(fixture));
    expect(merge).toMatchObject({ mainHead: theirs, conflicts: [] });
    expect([...(await filesIn(fixture.repositoryId, merge.after)).keys()]).toEqual(["a.ts", "c.ts"]);
    // Nothing has moved yet.
    expect(await textOf(fixture, "apps/shop/a.ts")).toBe("one\n\ntwo!\n");

    const sha = await land(fixture, merge);
    expect(await folderIn(fixture.repositoryId, sha, FOLDER)).toBe(merge.after);
    expect(await textOf(fixture, "apps/shop/a.ts")).toBe("one!\n\ntwo!\n");
    expect(await textOf(fixture, "apps/other/b.ts")).toBe("1\n");
    await expect(textOf(fixture, "consoles/q.sql")).rejects.toMatchObject({ kind: "not_found" });
  });

  it("is main's if the branch has not changed it, or is gone", async () => {
    const fixture = await withBranch();
    await fixture.save("Elsewhere", [put("apps/other/b.ts", "2\n")], { branch: BRANCH });
    const same = await mergeFolder(place(fixture));
    expect(same.after).toBe(same.before);
    await fixture.save("Gone", [remove("apps/shop/a.ts")], { branch: BRANCH });
    const merge = await mergeFolder(place(fixture));
    expect(merge).toMatchObject({ after: null, conflicts: [] });
    await land(fixture, merge);
    expect(await folderIn(fixture.repositoryId, (await mergeFolder(place(fixture))).mainHead, FOLDER)).toBeNull();
  });

  it("reports a conflict by paths of the folder, and accepts resolutions", async () => {
    const fixture = await withBranch();
    await fixture.save("Mine", [put("apps/shop/a.ts", "mine\n")], { branch: BRANCH });
    await fixture.save("Theirs", [put("apps/shop/a.ts", "theirs\n")]);
    const { conflicts } = await mergeFolder(place(fixture));
    expect(conflicts).toMatchObject([
      { path: "a.ts", base: { content: "one\n\ntwo\n" }, ours: { content: "theirs\n" }, theirs: { content: "mine\n" } },
    ]);
    const merge = await mergeFolder({ ...place(fixture), resolutions: { "a.ts": "both\n" } });
    await land(fixture, merge);
    expect(await textOf(fixture, "apps/shop/a.ts")).toBe("both\n");

    // The branch continues from the landed state, also where the resolution went against it.
    const takes = { folder: FOLDER, ifHead: merge.branchHead ?? "" };
    const back = { repositoryId: fixture.repositoryId, from: "main", into: BRANCH, author: ADA };
    expect(await mergeBranches({ ...back, takes: { ...takes, ifHead: "0".repeat(40) } })).toMatchObject({
      merged: false,
    });
    expect(await mergeBranches({ ...back, takes })).toMatchObject({ merged: true });
    expect(await textOf(fixture, "apps/shop/a.ts", BRANCH)).toBe("both\n");
    expect((await folderOnBranch(fixture.repositoryId, BRANCH, FOLDER)).isOwn).toBe(false);
  });

  it("is main's even if main returned to the common base", async () => {
    const fixture = await withBranch();
    const began = await folderIn(fixture.repositoryId, (await mergeFolder(place(fixture))).mainHead, FOLDER);
    await fixture.save("Mine", [put("apps/shop/a.ts", "mine\n")], { branch: BRANCH });
    await fixture.save("Elsewhere on main", [put("consoles/q.sql", "select 1")]);
    const { branchHead } = await mergeFolder(place(fixture));
    const back = { repositoryId: fixture.repositoryId, from: "main", into: BRANCH, author: ADA };
    await mergeBranches({ ...back, takes: { folder: FOLDER, ifHead: branchHead ?? "" } });
    const { headSha } = await folderOnBranch(fixture.repositoryId, BRANCH, FOLDER);
    expect(await folderIn(fixture.repositoryId, headSha, FOLDER)).toBe(began);
    expect(await textOf(fixture, "apps/shop/a.ts", BRANCH)).toBe("one\n\ntwo\n");
  });

  it("does not overwrite later commits; one of two concurrent ones succeeds", async () => {
    const fixture = await withBranch();
    await fixture.save("Mine", [put("apps/shop/c.ts", "mine\n")], { branch: BRANCH });
    const merge = await mergeFolder(place(fixture));
    await fixture.save("Elsewhere", [put("consoles/q.sql", "select 1")]);
    const both = await Promise.all([land(fixture, merge), land(fixture, merge)]);
    expect(both.filter((sha) => sha === null)).toHaveLength(1);
    expect(await land(fixture, merge)).toBeNull();
    expect(await textOf(fixture, "consoles/q.sql")).toBe("select 1");
  });
});
