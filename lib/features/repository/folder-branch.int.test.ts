import { afterAll, describe, expect, it } from "vitest";
import { takeOwnDatabase } from "@/test/database";
import { ADA, type Fixture, move, newRepository, put, remove } from "@/test/fixtures/repository/repository-fixture";
import { compareFolder, createBranch, folderOnBranch, mergeBranches } from "./service";

const own = takeOwnDatabase();
afterAll(own.drop);

const BRANCH = "user/ada";
const FOLDER = "apps/shop";

/** Creates a repository in which main has the folder, and a branch that starts there. */
async function withBranch(): Promise<Fixture & { first: string }> {
  const fixture = await newRepository();
  const first = await fixture.save("Add", [put("apps/shop/a.ts", "1\n"), put("apps/other/b.ts", "1\n")]);
  await createBranch({ repositoryId: fixture.repositoryId, name: BRANCH });
  return { ...fixture, first };
}

async function look({ repositoryId }: Fixture) {
  const state = await folderOnBranch(repositoryId, BRANCH, FOLDER);
  return { ...state, ...(await compareFolder(repositoryId, state, FOLDER)) };
}

describe("a folder on a branch", () => {
  it("is empty in a repository without a commit", async () => {
    expect(await look(await newRepository())).toEqual({
      branchHead: null,
      isOwn: false,
      isInBranch: false,
      headSha: null,
      baseSha: null,
      ahead: 0,
      behind: 0,
      changes: [],
    });
  });

  it("is main's if the branch has not changed it", async () => {
    const fixture = await withBranch();
    const { save } = fixture;
    expect(await look(fixture)).toMatchObject({ isOwn: false, isInBranch: true, headSha: fixture.first });
    await save("Other", [put("apps/other/b.ts", "2\n")], { branch: BRANCH });
    const second = await save("On main", [put("apps/shop/a.ts", "2\n")]);
    const now = { isOwn: false, isInBranch: false, headSha: second, baseSha: second, ahead: 0, behind: 0, changes: [] };
    expect(await look(fixture)).toMatchObject(now);
  });

  it("counts only commits of both sides that touch it", async () => {
    const fixture = await withBranch();
    const { save, first } = fixture;
    await save("One", [put("apps/shop/a.ts", "mine\n")], { branch: BRANCH });
    await save("Other", [put("apps/other/b.ts", "2\n")], { branch: BRANCH });
    const head = await save("Two", [put("apps/shop/c.ts", "new\n")], { branch: BRANCH });
    await save("A console", [put("consoles/q.sql", "select 1")]);
    await save("On main", [put("apps/shop/d.ts", "theirs\n")]);
    const changes = [
      { path: "a.ts", status: "modified" },
      { path: "c.ts", status: "added" },
    ];
    expect(await look(fixture)).toMatchObject({
      isOwn: true,
      headSha: head,
      baseSha: first,
      ahead: 2,
      behind: 1,
      changes,
    });
  });

  it("is even with main after a merge", async () => {
    const fixture = await withBranch();
    await fixture.save("Mine", [put("apps/shop/a.ts", "mine\n")], { branch: BRANCH });
    await fixture.save("Theirs", [put("apps/other/b.ts", "theirs\n")]);
    await mergeBranches({ repositoryId: fixture.repositoryId, from: BRANCH, author: ADA });
    expect(await look(fixture)).toMatchObject({ isOwn: false, ahead: 0, behind: 0, changes: [] });
  });

  it("reports a moved file with the same content as renamed, and others as changed", async () => {
    const fixture = await withBranch();
    await fixture.save("Rename", [move("apps/shop/a.ts", "apps/shop/src/a.ts"), put("apps/shop/n.ts", "n\n")], {
      branch: BRANCH,
    });
    expect((await look(fixture)).changes).toEqual([
      { path: "n.ts", status: "added" },
      { path: "src/a.ts", status: "renamed" },
    ]);
    await fixture.save("Delete", [remove("apps/shop/src/a.ts")], { branch: BRANCH });
    expect((await look(fixture)).changes).toEqual([
      { path: "a.ts", status: "deleted" },
      { path: "n.ts", status: "added" },
    ]);
  });
});
