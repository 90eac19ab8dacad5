import { ObjectId } from "mongodb";
import { afterAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { takeOwnDatabase } from "@/test/database";
import { rebuildIndex } from "@/test/fixtures/repository/rebuild-index";
import { ADA, kindOf, move, newRepository, put, remove } from "@/test/fixtures/repository/repository-fixture";
import { storedIndex } from "@/test/fixtures/repository/stored-index";
import { changeOf, createBranch, folderHistory, historyOf, mergeBranches } from "./service";

const own = takeOwnDatabase();
afterAll(own.drop);

const story = async (input: Parameters<typeof historyOf>[0]) =>
  (await historyOf(input)).items.map(({ subject, status, path }) => `${subject}: ${status} ${path}`);

describe("a file's history", () => {
  it("is newest first and follows renames", async () => {
    const { repositoryId, save } = await newRepository();
    await save("Create", [put("a.sql", "1", "id1")]);
    await save("Other", [put("b.sql", "x", "id2")]);
    await save("Edit", [put("a.sql", "2", "id1")]);
    const sha = await save("Rename", [move("a.sql", "deep/c.sql", "3", "id1")]);
    await save("Edit again", [put("deep/c.sql", "4", "id1")]);
    const expected = [
      "Edit again: modified deep/c.sql",
      "Rename: renamed deep/c.sql",
      "Edit: modified a.sql",
      "Create: added a.sql",
    ];
    expect(await story({ repositoryId, fileId: "id1" })).toEqual(expected);
    expect(await story({ repositoryId, path: "deep/c.sql" })).toEqual(expected);
    const { items } = await historyOf({ repositoryId, fileId: "id1" });
    expect(items[1]).toEqual({
      sha,
      author: ADA,
      date: new Date("2026-01-01T00:03:00Z"),
      subject: "Rename",
      status: "renamed",
      path: "deep/c.sql",
      previousPath: "a.sql",
      before: expect.stringMatching(/^[0-9a-f]{40}$/),
      after: expect.stringMatching(/^[0-9a-f]{40}$/),
      change: null,
    });
    expect(items[1]).toMatchObject({ before: items[2]?.after, after: items[0]?.before });
  });

  it("starts with a new file at an old path", async () => {
    const { repositoryId, save } = await newRepository();
    await save("Create", [put("a", "1")]);
    await save("Move away", [move("a", "b")]);
    await save("New", [put("a", "2")]);
    await save("Delete", [remove("a")]);
    await save("Newer", [put("a", "3")]);
    expect(await story({ repositoryId, path: "a" })).toEqual(["Newer: added a"]);
    expect(await story({ repositoryId, path: "b" })).toEqual(["Move away: renamed b", "Create: added a"]);
  });

  it("starts and ends where another ID takes a path in one commit", async () => {
    const { repositoryId, save } = await newRepository();
    await save("Create", [put("a", "1", "old")]);
    await save("Replace", [put("a", "2", "new")]);
    await save("Edit", [put("a", "3", "new")]);
    expect(await story({ repositoryId, fileId: "old" })).toEqual(["Replace: deleted a", "Create: added a"]);
    expect(await story({ repositoryId, path: "a" })).toEqual(["Edit: modified a", "Replace: added a"]);
  });

  it("continues when a deleted file is restored by its ID", async () => {
    const { repositoryId, save } = await newRepository();
    await save("Create", [put("a", "1", "id1")]);
    await save("Delete", [remove("a")]);
    await save("Restore", [put("b", "1", "id1")]);
    expect(await story({ repositoryId, fileId: "id1" })).toEqual([
      "Restore: added b",
      "Delete: deleted a",
      "Create: added a",
    ]);
  });

  it("distinguishes a swap of two files", async () => {
    const { repositoryId, save } = await newRepository();
    await save("Create", [put("a", "A"), put("b", "B")]);
    await save("Swap", [move("a", "b"), move("b", "a")]);
    await save("Edit", [put("a", "B2")]);
    expect(await story({ repositoryId, path: "a" })).toEqual([
      "Edit: modified a",
      "Swap: renamed a",
      "Create: added b",
    ]);
    expect(await story({ repositoryId, path: "b" })).toEqual(["Swap: renamed b", "Create: added a"]);
  });

  it("follows a moved file whose old path got the same text", async () => {
    const { repositoryId, save } = await newRepository();
    await save("Create", [put("a", "same", "id1")]);
    await save("Copy", [move("a", "b", undefined, "id1"), put("a", "same", "id2")]);
    expect(await story({ repositoryId, fileId: "id1" })).toEqual(["Copy: renamed b", "Create: added a"]);
    expect(await story({ repositoryId, path: "a" })).toEqual(["Copy: added a"]);
  });

  it("is paged without gaps or repeats during new commits", async () => {
    const { repositoryId, save } = await newRepository();
    const shas: string[] = [];
    for (let n = 0; n < 7; n++) shas.unshift(await save(`Edit ${n}`, [put("a", String(n)), put(`other ${n}`, "x")]));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await historyOf({ repositoryId, path: "a", limit: 3, cursor });
      seen.push(...page.items.map(({ sha }) => sha));
      cursor = page.nextCursor ?? undefined;
      if (seen.length === 3) await save("Late", [put("a", "late")]);
    } while (cursor);
    expect(seen).toEqual(shas);
  });

  it("is empty for an unknown file, and rejects a foreign cursor", async () => {
    const mine = await newRepository();
    const theirs = await newRepository();
    const { repositoryId, save } = mine;
    expect(await historyOf({ repositoryId, path: "a" })).toEqual({ items: [], nextCursor: null });
    await save("One", [put("a", "1")]);
    await save("Two", [put("a", "2")]);
    await theirs.save("Theirs", [put("a", "1")]);
    expect((await historyOf({ repositoryId, path: "none" })).items).toEqual([]);
    const { nextCursor } = await historyOf({ repositoryId, path: "a", limit: 1 });
    const cursor = nextCursor ?? "";
    expect(await kindOf(historyOf({ repositoryId: theirs.repositoryId, path: "a", cursor }))).toBe("invalid_request");
    for (const bad of ["", "x", "%%%", `${cursor}x`, Buffer.from("zz.1").toString("base64url")]) {
      expect(await kindOf(historyOf({ repositoryId, path: "a", cursor: bad }))).toBe("invalid_request");
    }
  });
});

describe("a folder's history", () => {
  it("has changes below it and moves out of it, and the root has all", async () => {
    const { repositoryId, save } = await newRepository();
    await save("One", [put("apps/shop/src/main.ts", "1")]);
    await save("Two", [put("consoles/a.sql", "1")]);
    await save("Three", [put("apps/shop/README.md", "1")]);
    await save("Four", [move("apps/shop/README.md", "consoles/README.md")]);
    const subjects = async (folder: string) =>
      (await folderHistory({ repositoryId, folder })).items.map(({ subject }) => subject);
    expect(await subjects("apps/shop")).toEqual(["Four", "Three", "One"]);
    expect(await subjects("apps/shop/src/")).toEqual(["One"]);
    expect(await subjects("consoles")).toEqual(["Four", "Two"]);
    expect(await subjects("")).toEqual(["Four", "Three", "Two", "One"]);
    expect(await subjects("apps/sho")).toEqual([]);
  });
});

describe("a commit's change of a file", () => {
  it("shows only this file, before and after, through a rename", async () => {
    const { repositoryId, save } = await newRepository();
    const first = await save("Create", [put("a.sql", "one\ntwo\n", "id1"), put("b.sql", "x")]);
    const sha = await save("Rename", [move("a.sql", "c.sql", "one\n2\nthree\n", "id1"), put("b.sql", "y")]);
    expect(await changeOf({ repositoryId, fileId: "id1", sha: sha.slice(0, 9) })).toEqual({
      sha,
      parents: [first],
      author: ADA,
      date: new Date("2026-01-01T00:01:00Z"),
      subject: "Rename",
      message: "Rename\n",
      files: [
        {
          path: "c.sql",
          previousPath: "a.sql",
          status: "renamed",
          before: "one\ntwo\n",
          after: "one\n2\nthree\n",
          isBinary: false,
          additions: 2,
          deletions: 1,
          patch:
            "diff --git a/a.sql b/c.sql\nrename from a.sql\nrename to c.sql\n--- a/a.sql\n+++ b/c.sql\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+three\n",
        },
      ],
    });
    const [added] = (await changeOf({ repositoryId, path: "c.sql", sha: first })).files;
    expect(added).toMatchObject({ path: "a.sql", status: "added", before: null, after: "one\ntwo\n", additions: 2 });
  });

  it("shows a removal, and binary content", async () => {
    const { repositoryId, save } = await newRepository();
    await save("Create", [put("a", "1\n", "id1"), put("b", Uint8Array.from([0, 1]))]);
    const removed = await save("Delete", [remove("a")]);
    const bytes = await save("Bytes", [put("b", Uint8Array.from([0, 2]))]);
    expect((await changeOf({ repositoryId, fileId: "id1", sha: removed })).files).toMatchObject([
      { status: "deleted", before: "1\n", after: null, additions: 0, deletions: 1 },
    ]);
    expect((await changeOf({ repositoryId, path: "b", sha: bytes })).files).toMatchObject([
      { before: null, after: null, isBinary: true, patch: "diff --git a/b b/b\nBinary files a/b and b/b differ\n" },
    ]);
  });

  it("omits the patch of large texts", async () => {
    const { repositoryId, save } = await newRepository();
    const text = "a line of text that is long enough\n".repeat(70_000);
    await save("Create", [put("a", text)]);
    const sha = await save("Edit", [put("a", `${text}end\n`)]);
    const [file] = (await changeOf({ repositoryId, path: "a", sha })).files;
    expect(file).toMatchObject({ after: `${text}end\n`, patch: null, additions: null, deletions: null });
  });

  it("is not found for a commit of other files or workspaces, or none", async () => {
    const { repositoryId, save } = await newRepository();
    const theirs = await newRepository();
    await save("Create", [put("a", "1", "id1")]);
    const other = await save("Other", [put("b", "1", "id2")]);
    const foreign = await theirs.save("Foreign", [put("a", "1", "id1")]);
    for (const sha of [other, foreign, "0".repeat(40), "abcdef0"]) {
      expect(await kindOf(changeOf({ repositoryId, fileId: "id1", sha }))).toBe("not_found");
    }
    for (const sha of ["", "abc", "zzzzzzz", `${other}0`, "HEAD", "main", "../../etc"]) {
      expect(await kindOf(changeOf({ repositoryId, fileId: "id1", sha }))).toBe("invalid_request");
    }
  });
});

describe("a branch's history", () => {
  it("is its own commits on top of main's, before and after a merge", async () => {
    const { repositoryId, save } = await newRepository();
    await save("Create", [put("a", "1\n2\n3\n4\n5\n"), put("b", "1")]);
    await createBranch({ repositoryId, name: "user/ada" });
    const branch = "user/ada";
    const sha = await save("Branch edit", [put("a", "one\n2\n3\n4\n5\n")], { branch });
    await save("Branch rename", [move("a", "c")], { branch });
    await save("Main edit", [put("b", "2")]);
    const own = ["Branch rename: renamed c", "Branch edit: modified a", "Create: added a"];
    expect(await story({ repositoryId, branch, path: "c" })).toEqual(own);
    expect(await story({ repositoryId, path: "a" })).toEqual(["Create: added a"]);
    expect(await story({ repositoryId, branch, path: "b" })).toEqual(["Create: added b"]);
    expect((await changeOf({ repositoryId, branch, path: "c", sha })).files).toMatchObject([
      { path: "a", additions: 1 },
    ]);
    expect(await kindOf(changeOf({ repositoryId, path: "a", sha }))).toBe("not_found");

    await mergeBranches({ repositoryId, from: branch, author: ADA });
    expect(await story({ repositoryId, path: "c" })).toEqual(own);
    expect((await changeOf({ repositoryId, path: "c", sha })).files).toMatchObject([{ path: "a", additions: 1 }]);
    const root = await folderHistory({ repositoryId, folder: "" });
    expect(root.items.map(({ subject }) => subject)).toEqual([
      "Merge branch 'user/ada'",
      "Branch rename",
      "Branch edit",
      "Main edit",
      "Create",
    ]);
  });

  it("is paged across the border of branch and main", async () => {
    const { repositoryId, save } = await newRepository();
    const branch = "user/ada";
    const shas: string[] = [];
    for (let n = 0; n < 4; n++) shas.unshift(await save(`Main ${n}`, [put("a", `t${n}`)]));
    await createBranch({ repositoryId, name: branch });
    for (let n = 0; n < 4; n++) shas.unshift(await save(`Branch ${n}`, [put("a", `b${n}`)], { branch }));
    for (const limit of [1, 3, 4, 5]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await historyOf({ repositoryId, branch, path: "a", limit, cursor });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        seen.push(...page.items.map(({ sha }) => sha));
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      expect(seen).toEqual(shas);
    }
  });
});

describe("the history index", () => {
  it("is the same when rebuilt from git", async () => {
    const { repositoryId, save, now } = await newRepository();
    await save("Create", [put("a", "1\n2\n3\n4\n5\n6\n", "id1"), put("b", "B"), put("c", "C")]);
    await createBranch({ repositoryId, name: "user/ada" });
    const branch = "user/ada";
    await save("Side", [put("a", "1\n2\n3\n4\n5\nsix\n", "id1"), move("b", "d/b")], { branch });
    await save("Main", [put("a", "one\n2\n3\n4\n5\n6\n", "id1"), put("e", "E", "id2")]);
    await mergeBranches({ repositoryId, from: "main", into: branch, author: ADA, now: now() });
    await save("Side again", [put("c", "CC"), remove("d/b")], { branch });
    await mergeBranches({ repositoryId, from: branch, author: ADA, now: now() });
    await save("After", [put("a", "2", "id1"), put("e", "E", "id3"), move("c", "e2")]);
    const kept = await storedIndex(repositoryId);
    expect(kept.commits.length).toBeGreaterThan(6);
    await rebuildIndex(repositoryId);
    expect(await storedIndex(repositoryId)).toEqual(kept);
  });

  it("is completed by a reader that finds it behind", async () => {
    const { repositoryId, save } = await newRepository();
    for (let n = 0; n < 5; n++) await save(`Edit ${n}`, [put("a", String(n))]);
    const kept = await storedIndex(repositoryId);
    await collections.gitCommits().deleteMany({ workspaceId: repositoryId, seq: { $gt: 2 } });
    await collections.gitHistory().deleteMany({ workspaceId: repositoryId, seq: { $gt: 3 } });
    expect((await historyOf({ repositoryId, path: "a" })).items).toHaveLength(5);
    expect(await storedIndex(repositoryId)).toEqual(kept);
  });

  it("is the same when many readers complete it at once", async () => {
    const { repositoryId, save } = await newRepository();
    for (let n = 0; n < 10; n++) await save(`Edit ${n}`, [put(`dir/${n % 3}`, String(n), `id${n % 3}`)]);
    const kept = await storedIndex(repositoryId);
    await collections.gitCommits().deleteMany({ workspaceId: repositoryId });
    await collections.gitHistory().deleteMany({ workspaceId: repositoryId });
    const pages = await Promise.all(Array.from({ length: 8 }, () => historyOf({ repositoryId, fileId: "id0" })));
    expect(pages.map(({ items }) => items.length)).toEqual(new Array(8).fill(4));
    expect(await storedIndex(repositoryId)).toEqual(kept);
  });

  it("leaves other workspaces' entries alone", async () => {
    const mine = await newRepository();
    const theirs = await newRepository();
    await mine.save("Mine", [put("a", "1", "same-id")]);
    await theirs.save("Theirs", [put("a", "1", "same-id")]);
    await rebuildIndex(mine.repositoryId);
    expect(await story({ repositoryId: theirs.repositoryId, fileId: "same-id" })).toEqual(["Theirs: added a"]);
    expect(await story({ repositoryId: new ObjectId(), fileId: "same-id" })).toEqual([]);
  });
});
