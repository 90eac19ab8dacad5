import { randomBytes } from "node:crypto";
import type { ObjectId } from "mongodb";
import { afterAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { takeOwnDatabase } from "@/test/database";
import { readCommit } from "@/test/fixtures/repository/read-commit";
import { ADA, kindOf, move, newRepository, put, remove } from "@/test/fixtures/repository/repository-fixture";
import { commitChanges, deleteRepository, listTree, readFile } from "./service";

const own = takeOwnDatabase();
afterAll(own.drop);

const textAt = async (repositoryId: ObjectId, path: string, sha?: string) =>
  (await readFile({ repositoryId, path, sha })).content.toString();
const pathsOf = async (repositoryId: ObjectId) =>
  (await listTree({ repositoryId, recursive: true })).filter(({ kind }) => kind === "file").map(({ path }) => path);

describe("a commit", () => {
  it("is read by branch, full ID and prefix", async () => {
    const { repositoryId, save } = await newRepository();
    const first = await save("First", [put("consoles/a.sql", "select 1\n"), put("top.txt", "t")]);
    await save("Second", [put("consoles/a.sql", "select 2\n")]);
    expect(await textAt(repositoryId, "consoles/a.sql")).toBe("select 2\n");
    expect(await textAt(repositoryId, "consoles/a.sql", first)).toBe("select 1\n");
    expect(await textAt(repositoryId, "consoles/a.sql", first.slice(0, 7).toUpperCase())).toBe("select 1\n");
    expect(await listTree({ repositoryId })).toMatchObject([
      { path: "consoles", kind: "folder" },
      { path: "top.txt", kind: "file" },
    ]);
    expect(await listTree({ repositoryId, path: "consoles/" })).toMatchObject([
      { path: "consoles/a.sql", name: "a.sql" },
    ]);
  });

  it("keeps author, message and date", async () => {
    const { repositoryId } = await newRepository();
    const { sha } = await commitChanges({
      repositoryId,
      author: { name: "Zoë <script>\n Ünal", email: "z@example.com>\n" },
      message: "  Save revenue\r\n\r\nWhy: the\u0000 numbers\tmoved  ",
      changes: [put("a", "1")],
      now: new Date("2026-03-04T05:06:07.890Z"),
    });
    expect(await readCommit(repositoryId, sha)).toEqual({
      sha,
      parents: [],
      author: { name: "Zoë script Ünal", email: "z@example.com" },
      date: new Date("2026-03-04T05:06:07.000Z"),
      subject: "Save revenue",
      message: "Save revenue\n\nWhy: the numbers\tmoved\n",
    });
  });

  it("is never dated before its parent, with a slow clock", async () => {
    const { repositoryId, save } = await newRepository();
    await save("First", [put("a", "1")], { now: new Date("2026-05-01T00:00:00Z") });
    const sha = await save("Second", [put("a", "2")], { now: new Date("2026-04-30T12:00:00Z") });
    expect((await readCommit(repositoryId, sha)).date).toEqual(new Date("2026-05-01T00:00:00Z"));
  });

  it("is not created without changes, unless requested", async () => {
    const { repositoryId, save } = await newRepository();
    const sha = await save("First", [put("a", "1")]);
    const input = { repositoryId, author: ADA, message: "Again", changes: [put("a", "1")] };
    expect(await commitChanges(input)).toEqual({ sha, isNew: false });
    expect((await commitChanges({ ...input, allowEmpty: true })).isNew).toBe(true);
  });

  it("swaps two files and reuses a vacated path", async () => {
    const { repositoryId, save } = await newRepository();
    await save("First", [put("a", "A"), put("b", "B"), put("c", "C")]);
    await save("Swap", [move("a", "b"), move("b", "a"), move("c", "d"), put("c", "new")]);
    expect(await Promise.all(["a", "b", "c", "d"].map((path) => textAt(repositoryId, path)))).toEqual([
      "B",
      "A",
      "new",
      "C",
    ]);
  });

  it("drops empty folders, and the last file leaves an empty repository", async () => {
    const { repositoryId, save } = await newRepository();
    await save("First", [put("x/y/z.sql", "1"), put("a", "2")]);
    await save("Second", [remove("x/y/z.sql")]);
    expect(await pathsOf(repositoryId)).toEqual(["a"]);
    expect(await listTree({ repositoryId })).toHaveLength(1);
    await save("Third", [remove("a")]);
    expect(await listTree({ repositoryId })).toEqual([]);
    await save("Fourth", [put("b", "3")]);
    expect(await pathsOf(repositoryId)).toEqual(["b"]);
  });

  it("can turn a file into a folder and back", async () => {
    const { repositoryId, save } = await newRepository();
    await save("File", [put("a", "1")]);
    await save("Folder", [move("a", "a/b")]);
    expect(await pathsOf(repositoryId)).toEqual(["a/b"]);
    await save("File again", [move("a/b", "a")]);
    expect(await pathsOf(repositoryId)).toEqual(["a"]);
  });

  it("stores 20 MiB of incompressible data in parts", { tags: ["long"] }, async () => {
    const { repositoryId, save } = await newRepository();
    const content = randomBytes(20 * 1024 * 1024);
    await save("Large", [put("large.bin", content)]);
    const file = await readFile({ repositoryId, path: "large.bin" });
    expect(file.content.equals(content)).toBe(true);
    expect(await collections.gitChunks().countDocuments({ workspaceId: repositoryId, oid: file.oid })).toBe(3);
  });

  it("keeps an empty file and any bytes", async () => {
    const { repositoryId, save } = await newRepository();
    await save("Bytes", [put("empty", ""), put("bytes", Uint8Array.from([0, 255, 10, 13]))]);
    expect((await readFile({ repositoryId, path: "empty" })).content).toHaveLength(0);
    expect([...(await readFile({ repositoryId, path: "bytes" })).content]).toEqual([0, 255, 10, 13]);
  });
});

describe("a rejected commit", () => {
  it.each([
    ["a missing file's removal", [remove("none")], "not_found"],
    ["a folder's removal", [remove("consoles")], "not_found"],
    ["a missing file's move", [move("none", "b")], "not_found"],
    ["a move onto another file", [move("consoles/a.sql", "top.txt")], "conflict"],
    ["a move onto itself", [move("top.txt", "top.txt")], "invalid_request"],
    ["a file where a folder stands", [put("consoles", "x")], "conflict"],
    ["a file below a file", [put("top.txt/x", "x")], "conflict"],
    ["one path twice", [put("x", "1"), put("x", "2")], "invalid_request"],
    ["one id twice", [put("x", "1", "id"), put("y", "2", "id")], "invalid_request"],
    ["an id with a line end", [put("x", "1", "id\nparent 0")], "invalid_request"],
    ["a name that differs in case", [put("consoles/A.sql", "x")], "conflict"],
    ["a folder that differs in case", [put("Consoles/b.sql", "x")], "conflict"],
    ["a name in another Unicode form", [put("consoles/\uff41.sql", "x")], "conflict"],
    ["two new names that collide", [put("n/é", "1"), put("n/É", "2")], "conflict"],
    ["a way out of the repository", [put("../x", "x")], "invalid_request"],
    ["more than 25 MiB", [put("x", Buffer.alloc(25 * 1024 * 1024 + 1))], "too_large"],
  ])("has %s", async (_, changes, kind) => {
    const { repositoryId, save } = await newRepository();
    const sha = await save("First", [put("consoles/a.sql", "1"), put("top.txt", "2")]);
    expect(await kindOf(save("Bad", changes))).toBe(kind);
    expect(await pathsOf(repositoryId)).toEqual(["consoles/a.sql", "top.txt"]);
    expect((await readCommit(repositoryId, sha)).sha).toBe(sha);
  });

  it("has a blank or too long message", async () => {
    const { save } = await newRepository();
    expect(await kindOf(save(" \n\u0007 ", [put("a", "1")]))).toBe("invalid_request");
    expect(await kindOf(save("x".repeat(65_537), [put("a", "1")]))).toBe("invalid_request");
  });

  it("names a missing branch", async () => {
    const { save } = await newRepository();
    expect(await kindOf(save("First", [put("a", "1")], { branch: "user/x" }))).toBe("not_found");
  });
});

describe("case and Unicode forms", () => {
  it("allow a change of a file name's case", async () => {
    const { repositoryId, save } = await newRepository();
    await save("First", [put("a/Report.sql", "1")]);
    await save("Case", [move("a/Report.sql", "a/report.sql")]);
    expect(await pathsOf(repositoryId)).toEqual(["a/report.sql"]);
  });

  it("find one file by both forms of its name", async () => {
    const { repositoryId, save } = await newRepository();
    await save("First", [put("cafe\u0301.sql", "1")]);
    await save("Second", [put("caf\u00e9.sql", "2")]);
    expect(await pathsOf(repositoryId)).toEqual(["caf\u00e9.sql"]);
    expect(await textAt(repositoryId, "cafe\u0301.sql")).toBe("2");
  });
});

describe("an expected head", () => {
  it("lets a commit land on others' if its own paths are unchanged", async () => {
    const { repositoryId, save } = await newRepository();
    const seen = await save("First", [put("a", "1"), put("b", "1")]);
    await save("Other", [put("b", "2")]);
    await save("Mine", [put("a", "2")], { expectedHead: seen });
    expect([await textAt(repositoryId, "a"), await textAt(repositoryId, "b")]).toEqual(["2", "2"]);
  });

  it.each([
    ["written", [put("a", "3")], [put("a", "2")]],
    ["removed", [remove("a")], [put("a", "2")]],
    ["moved away", [move("a", "c")], [put("a", "2")]],
    ["taken", [put("n", "3")], [put("n", "2")]],
    ["taken by a move", [move("b", "n")], [move("a", "n")]],
  ])("is a conflict if the path was %s meanwhile", async (_, others, mine) => {
    const { save } = await newRepository();
    const seen = await save("First", [put("a", "1"), put("b", "1")]);
    await save("Other", others);
    expect(await kindOf(save("Mine", mine, { expectedHead: seen }))).toBe("conflict");
  });

  it("is a conflict if the repository does not know it", async () => {
    const { save } = await newRepository();
    await save("First", [put("a", "1")]);
    expect(await kindOf(save("Mine", [put("b", "2")], { expectedHead: "0".repeat(40) }))).toBe("conflict");
  });
});

describe("workspaces", () => {
  it("are isolated from each other", async () => {
    const mine = await newRepository();
    const theirs = await newRepository();
    const sha = await mine.save("Secret", [put("a", "1")]);
    await theirs.save("Own", [put("b", "2")]);
    const { repositoryId } = theirs;
    expect(await kindOf(readFile({ repositoryId, path: "a" }))).toBe("not_found");
    expect(await kindOf(readFile({ repositoryId, path: "a", sha }))).toBe("not_found");
    expect(await kindOf(readCommit(repositoryId, sha.slice(0, 7)))).toBe("not_found");
  });

  it("are deleted with everything in them", async () => {
    const gone = await newRepository();
    const kept = await newRepository();
    await gone.save("Large", [put("a", randomBytes(9 * 1024 * 1024))]);
    await kept.save("Kept", [put("a", "1")]);
    await deleteRepository(gone.repositoryId);
    const { repositoryId } = gone;
    for (const name of ["gitRefs", "gitCommits", "gitHistory", "gitObjects", "gitChunks"] as const) {
      expect(await collections[name]().countDocuments({ workspaceId: repositoryId })).toBe(0);
    }
    expect(await listTree({ repositoryId })).toEqual([]);
    expect(await textAt(kept.repositoryId, "a")).toBe("1");
  });
});
