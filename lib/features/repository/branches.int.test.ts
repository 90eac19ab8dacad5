import { afterAll, describe, expect, it } from "vitest";
import { takeOwnDatabase } from "@/test/database";
import { aheadBehind } from "@/test/fixtures/repository/ahead-behind";
import { readCommit } from "@/test/fixtures/repository/read-commit";
import { ADA, kindOf, move, newRepository, put, remove } from "@/test/fixtures/repository/repository-fixture";
import { EMPTY_TREE, type GitObject } from "./git-objects";
import { newCommit } from "./new-commit";
import { readCommitObject, writeObjects } from "./object-store";
import { listHeads, moveHead } from "./refs";
import {
  changeOf,
  commitChanges,
  createBranch,
  findBranch,
  historyOf,
  mergeBranches,
  readFile,
  resolveSha,
} from "./service";

const own = takeOwnDatabase();
afterAll(own.drop);

const LINES = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

/** Creates a main branch with one commit and a branch that starts there. */
async function forked() {
  const repository = await newRepository();
  const { repositoryId, save } = repository;
  const base = await save("Base", [put("a", LINES), put("b", "B"), put("dir/c", "C")]);
  await createBranch({ repositoryId, name: "side" });
  const text = async (path: string, ref = "main") => (await readFile({ repositoryId, path, ref })).content.toString();
  const onSide = (message: string, changes: Parameters<typeof save>[1]) => save(message, changes, { branch: "side" });
  return { ...repository, base, text, onSide };
}

describe("branches", () => {
  it("are created, listed and found", async () => {
    const { repositoryId, base } = await forked();
    await createBranch({ repositoryId, name: "user/65f0", from: "side" });
    expect((await listHeads(repositoryId)).map(({ name, oid }) => [name, oid])).toEqual([
      ["main", base],
      ["side", base],
      ["user/65f0", base],
    ]);
    expect(await findBranch(repositoryId, "side")).toBe(base);
    expect(await findBranch(repositoryId, "none")).toBeNull();
  });

  it("reject a name that is taken, invalid in git, or conflicts on some systems", async () => {
    const { repositoryId } = await forked();
    for (const name of ["side", "main", "Side", "side/x"]) {
      expect(await kindOf(createBranch({ repositoryId, name }))).toBe("conflict");
    }
    await createBranch({ repositoryId, name: "user/x" });
    expect(await kindOf(createBranch({ repositoryId, name: "user" }))).toBe("conflict");
    expect(await kindOf(createBranch({ repositoryId, name: "--upload-pack=x" }))).toBe("invalid_request");
    expect(await kindOf(createBranch({ repositoryId, name: "other", from: "none" }))).toBe("not_found");
    expect((await listHeads(repositoryId)).map(({ name }) => name)).toEqual(["main", "side", "user/x"]);
  });

  it("start at any commit", async () => {
    const { repositoryId, base, save, text } = await forked();
    await save("Later", [put("b", "B2")]);
    await createBranch({ repositoryId, name: "old", sha: base.slice(0, 8) });
    expect(await text("b", "old")).toBe("B");
  });

  it("are created once for several concurrent requests", async () => {
    const { repositoryId } = await forked();
    const kinds = await Promise.all(
      Array.from({ length: 10 }, () => kindOf(createBranch({ repositoryId, name: "one" }))),
    );
    expect(kinds.toSorted()).toEqual([...new Array(9).fill("conflict"), "none"]);
  });
});

describe("ahead and behind", () => {
  it("count the commits of only one side", async () => {
    const { repositoryId, save, onSide } = await forked();
    const count = () => aheadBehind({ repositoryId, branch: "side" });
    expect(await count()).toEqual({ ahead: 0, behind: 0 });
    await onSide("S1", [put("s1", "1")]);
    await onSide("S2", [put("s2", "1")]);
    await save("M1", [put("m1", "1")]);
    expect(await count()).toEqual({ ahead: 2, behind: 1 });
    expect(await aheadBehind({ repositoryId, branch: "main", against: "side" })).toEqual({ ahead: 1, behind: 2 });
    await mergeBranches({ repositoryId, from: "side", author: ADA });
    // The branch lacks the merge itself, and M1.
    expect(await count()).toEqual({ ahead: 0, behind: 2 });
    await onSide("S3", [put("s3", "1")]);
    expect(await count()).toEqual({ ahead: 1, behind: 2 });
    await mergeBranches({ repositoryId, from: "main", into: "side", author: ADA });
    expect(await count()).toEqual({ ahead: 2, behind: 0 });
    await createBranch({ repositoryId, name: "third", from: "side" });
    await save("T1", [put("t1", "1")], { branch: "third" });
    expect(await aheadBehind({ repositoryId, branch: "third", against: "side" })).toEqual({ ahead: 1, behind: 0 });
  });
});

describe("a merge", () => {
  it("takes changes of either side, and both sides' lines of one text", async () => {
    const { repositoryId, save, onSide, text, base } = await forked();
    const side = await onSide("Side", [put("a", LINES.replace("9", "nine")), remove("b"), put("new", "N")]);
    const main = await save("Main", [put("a", LINES.replace("1", "one")), put("dir/c", "C2")]);
    const result = await mergeBranches({ repositoryId, from: "side", author: ADA, message: "Publish" });
    expect(result).toMatchObject({ merged: true, kind: "merge" });
    const sha = result.merged ? result.sha : "";
    expect(await readCommit(repositoryId, sha)).toMatchObject({ parents: [main, side], subject: "Publish" });
    expect(await text("a")).toBe(LINES.replace("1", "one").replace("9", "nine"));
    expect(await text("dir/c")).toBe("C2");
    expect(await text("new")).toBe("N");
    expect(await kindOf(readFile({ repositoryId, path: "b" }))).toBe("not_found");
    expect((await historyOf({ repositoryId, path: "a" })).items.map(({ sha }) => sha)).toEqual([sha, side, main, base]);
  });

  it("is a fast-forward if the target has not moved, and nothing if all is merged", async () => {
    const { repositoryId, onSide } = await forked();
    await onSide("S1", [put("a", "x")]);
    const sha = await onSide("S2", [put("a", "y")]);
    expect(await mergeBranches({ repositoryId, from: "side", author: ADA })).toEqual({
      merged: true,
      sha,
      kind: "fast-forward",
    });
    expect(await mergeBranches({ repositoryId, from: "side", author: ADA })).toEqual({
      merged: true,
      sha,
      kind: "up-to-date",
    });
  });

  it("into main keeps main's own line for a branch that merged main", async () => {
    const { repositoryId, save, onSide } = await forked();
    await onSide("Side", [put("s", "1")]);
    const main = await save("Main", [put("m", "1")]);
    await mergeBranches({ repositoryId, from: "main", into: "side", author: ADA });
    const result = await mergeBranches({ repositoryId, from: "side", author: ADA });
    expect(result).toMatchObject({ merged: true, kind: "merge" });
    const { parents } = await readCommit(repositoryId, result.merged ? result.sha : "");
    expect(parents[0]).toBe(main);
  });

  it("reports every conflict with both sides, moves nothing, and accepts resolutions", async () => {
    const { repositoryId, save, onSide, text } = await forked();
    await onSide("Side", [put("a", "side\n"), remove("b"), put("both", "S"), put("dir/c", Uint8Array.from([0, 1]))]);
    const head = await save("Main", [put("a", "main\n"), put("b", "B2"), put("both", "T"), put("dir/c", "text")]);
    const result = await mergeBranches({ repositoryId, from: "side", author: ADA });
    expect(result.merged).toBe(false);
    const conflicts = result.merged ? [] : result.conflicts;
    expect(
      conflicts.map(({ path, base, ours, theirs }) => [path, base?.content, ours?.content, theirs?.content]),
    ).toEqual([
      ["a", LINES, "main\n", "side\n"],
      ["b", "B", "B2", undefined],
      ["both", undefined, "T", "S"],
      ["dir/c", "C", "text", null],
    ]);
    expect(await findBranch(repositoryId, "main")).toBe(head);
    const settled = await mergeBranches({
      repositoryId,
      from: "side",
      author: ADA,
      resolutions: { a: "agreed\n", b: null, both: "T", "dir/c": "text" },
    });
    expect(settled).toMatchObject({ merged: true, kind: "merge" });
    expect([await text("a"), await text("both"), await text("dir/c")]).toEqual(["agreed\n", "T", "text"]);
    expect(await kindOf(readFile({ repositoryId, path: "b" }))).toBe("not_found");
  });

  it("uses the last common commit, so that merged changes do not conflict later", async () => {
    const { repositoryId, save, onSide, text } = await forked();
    await onSide("Side", [put("a", LINES.replace("9", "nine"))]);
    await save("Main", [put("b", "B2")]);
    await mergeBranches({ repositoryId, from: "side", author: ADA });
    await save("Main again", [put("a", LINES.replace("9", "NINE"))]);
    await onSide("Side again", [put("a", LINES.replace("9", "nine").replace("1", "one"))]);
    expect(await mergeBranches({ repositoryId, from: "side", author: ADA })).toMatchObject({ merged: true });
    expect(await text("a")).toBe(LINES.replace("1", "one").replace("9", "NINE"));
  });

  it("rejects two names that some systems treat as one", async () => {
    const { repositoryId, save, onSide } = await forked();
    await onSide("Side", [put("dir/Report", "1")]);
    await save("Main", [put("dir/report", "2")]);
    expect(await kindOf(mergeBranches({ repositoryId, from: "side", author: ADA }))).toBe("conflict");
  });

  it("shows the winning side's history, as git does", async () => {
    const { repositoryId, save, onSide } = await forked();
    await onSide("Side", [put("b", "S"), move("dir/c", "dir/d")]);
    await save("Main", [put("b", "T")]);
    await mergeBranches({ repositoryId, from: "side", author: ADA, resolutions: { b: "T" } });
    const story = async (path: string) => (await historyOf({ repositoryId, path })).items.map(({ subject }) => subject);
    expect(await story("b")).toEqual(["Main", "Base"]);
    expect(await story("dir/d")).toEqual(["Side", "Base"]);
  });

  it("succeeds against concurrent commits", async () => {
    const { repositoryId, onSide, text } = await forked();
    await onSide("Side", [put("s", "1")]);
    const commit = (n: number) =>
      commitChanges({ repositoryId, author: ADA, message: `C${n}`, changes: [put(`n${n}`, String(n))] });
    const [merge] = await Promise.all([
      mergeBranches({ repositoryId, from: "side", author: ADA }),
      ...Array.from({ length: 10 }, (_, n) => commit(n)),
    ]);
    expect(merge).toMatchObject({ merged: true });
    expect(await text("s")).toBe("1");
    for (let n = 0; n < 10; n++) expect(await text(`n${n}`)).toBe(String(n));
  });
});

describe("a short commit id", () => {
  it("that two commits of a file share is a conflict; one more digit resolves it", async () => {
    const { repositoryId, base, now } = await forked();
    const [onMain, onSide] = await twins(repositoryId, base, now());
    await moveHead(repositoryId, "main", base, onMain.oid);
    await moveHead(repositoryId, "side", base, onSide.oid);
    const resolutions = { b: "settled" };
    expect(await mergeBranches({ repositoryId, from: "side", author: ADA, resolutions })).toMatchObject({
      merged: true,
    });
    const shared = onMain.oid.slice(0, 7);
    let digits = 8;
    while (onMain.oid[digits - 1] === onSide.oid[digits - 1]) digits++;
    expect(await kindOf(resolveSha(repositoryId, shared))).toBe("conflict");
    expect(await kindOf(changeOf({ repositoryId, path: "b", sha: shared }))).toBe("conflict");
    expect(await resolveSha(repositoryId, onSide.oid.slice(0, digits))).toBe(onSide.oid);
    expect((await changeOf({ repositoryId, path: "b", sha: onSide.oid.slice(0, digits) })).sha).toBe(onSide.oid);
  });

  it("does not name a commit that lost a race and is on no branch", async () => {
    const { repositoryId, base, now } = await forked();
    const commit = await readCommitObject(repositoryId, base);
    const parents = [{ oid: base, commit }];
    const orphan = newCommit({ tree: EMPTY_TREE, parents, author: ADA, message: "Lost\n", now: now() });
    await writeObjects(repositoryId, [orphan]);
    expect(await kindOf(resolveSha(repositoryId, orphan.oid.slice(0, 10)))).toBe("not_found");
  });
});

/**
 * Returns two commits on one parent whose ids share their first 7 digits. There are 2^28 such prefixes, so two sets of
 * 50,000 ids share one.
 */
async function twins(
  repositoryId: Parameters<typeof readCommitObject>[0],
  base: string,
  now: Date,
): Promise<[GitObject, GitObject]> {
  const commit = await readCommitObject(repositoryId, base);
  const parents = [{ oid: base, commit }];
  const blobOf = async (content: string) => {
    const { sha } = await commitChanges({
      repositoryId,
      branch: "side",
      author: ADA,
      message: "Blob",
      changes: [put("b", content)],
    });
    const tree = (await readCommitObject(repositoryId, sha)).tree;
    return { sha, tree };
  };
  const one = await blobOf("one");
  const two = await blobOf("two");
  await moveHead(repositoryId, "side", two.sha, base);
  const make = (tree: string, n: number) => newCommit({ tree, parents, author: ADA, message: `Try ${n}\n`, now });
  const seen = new Map<string, number>();
  for (let n = 0; n < 50_000; n++) seen.set(make(one.tree, n).oid.slice(0, 7), n);
  for (let n = 0; ; n++) {
    const second = make(two.tree, n);
    const match = seen.get(second.oid.slice(0, 7));
    if (match === undefined) continue;
    const first = make(one.tree, match);
    await writeObjects(repositoryId, [first, second]);
    return [first, second];
  }
}
