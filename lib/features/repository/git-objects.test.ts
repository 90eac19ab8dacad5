import { describe, expect, it } from "vitest";
import { EMPTY_TREE, makeCommit, makeObject, makeTree, parseCommit, parseTree, subjectOf } from "./git-objects";

const signature = { name: "Ada Müller", email: "ada@example.com", seconds: 1_700_000_000, zone: "+0000" };

describe("git objects", () => {
  it("have git's IDs", () => {
    // The ids that git prints for an empty tree, an empty file and "hello\n".
    expect(makeTree([]).oid).toBe(EMPTY_TREE);
    expect(makeObject("blob", Buffer.alloc(0)).oid).toBe("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
    expect(makeObject("blob", Buffer.from("hello\n")).oid).toBe("ce013625030ba8dba906f756967f9e9ca394464a");
  });

  it("sort a folder as if its name ended in a slash", () => {
    const oid = "1".repeat(40);
    const tree = makeTree([
      { mode: "100644", name: "a0", oid },
      { mode: "40000", name: "a", oid },
      { mode: "100644", name: "a.b", oid },
      { mode: "100755", name: "ä", oid },
    ]);
    // "." (2e) < "/" (2f) < "0" (30)
    expect(parseTree(tree.content).map(({ name }) => name)).toEqual(["a.b", "a", "a0", "ä"]);
  });

  it("round-trip a commit", () => {
    const commit = {
      tree: EMPTY_TREE,
      parents: ["2".repeat(40), "3".repeat(40)],
      author: signature,
      committer: { ...signature, seconds: 1_700_000_001, zone: "-0530" },
      message: "Subject\n\nBody, with\nmillrace-file in it\n",
      files: [
        { fileId: "65f0", path: "a b.sql", from: null },
        { fileId: null, path: "c.sql", from: "d.sql" },
      ],
      change: 7,
    };
    expect(parseCommit(makeCommit(commit).content)).toEqual(commit);
    expect(parseCommit(makeCommit({ ...commit, change: null }).content)).toEqual({ ...commit, change: null });
  });

  it("read a foreign commit, signed and with unknown headers", () => {
    const text = [
      `tree ${EMPTY_TREE}`,
      "author A <a@b> 1 +0100",
      "committer A <a@b> 2 +0100",
      "gpgsig -----BEGIN PGP SIGNATURE-----",
      " tree of nothing",
      " -----END PGP SIGNATURE-----",
      "encoding utf-8",
      "",
      "tree is no header here",
    ].join("\n");
    const commit = parseCommit(Buffer.from(text));
    expect(commit).toMatchObject({ tree: EMPTY_TREE, parents: [], message: "tree is no header here" });
    expect(commit.author).toEqual({ name: "A", email: "a@b", seconds: 1, zone: "+0100" });
  });

  it("reject a truncated tree", () => {
    const tree = makeTree([{ mode: "100644", name: "a", oid: "1".repeat(40) }]);
    expect(() => parseTree(tree.content.subarray(0, 20))).toThrow("truncated");
  });

  it("show a message's first line as its subject", () => {
    expect(subjectOf("\n  Save revenue  \n\nmore")).toBe("Save revenue");
    expect(subjectOf("")).toBe("");
  });
});
