import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectId } from "mongodb";
import { afterAll, describe, expect, it } from "vitest";
import { takeOwnDatabase } from "@/test/database";
import { git, gitLines, temporaryFolder, withExport } from "@/test/fixtures/repository/git-command";
import { ADA, kindOf, move, newRepository, put, remove } from "@/test/fixtures/repository/repository-fixture";
import { changeOf, createBranch, exportBare, historyOf, mergeBranches } from "./service";

const own = takeOwnDatabase();
afterAll(own.drop);

/** Returns git's own log of a file: sha, subject and status, newest first. */
async function gitStory(dir: string, path: string): Promise<string[]> {
  // In the order of the graph: sorted by date, the commits of merged branches would be mixed.
  const lines = await gitLines(
    dir,
    "log",
    "--topo-order",
    "--follow",
    "--format=%H %s",
    "--name-status",
    "main",
    "--",
    path,
  );
  const story: string[] = [];
  for (const line of lines) {
    const [status = "", from = "", to] = line.split("\t");
    if (line.includes("\t")) story.push(`${story.pop()} ${status.slice(0, 1)} ${to ? `${from} > ${to}` : from}`);
    else story.push(line);
  }
  return story;
}

async function ourStory(repositoryId: ObjectId, path: string): Promise<string[]> {
  const { items } = await historyOf({ repositoryId, path });
  return items.map(({ sha, subject, status, path: at, previousPath }) => {
    const letter = status.slice(0, 1).toUpperCase();
    return `${sha} ${subject} ${letter} ${previousPath ? `${previousPath} > ${at}` : at}`;
  });
}

const TEXT = Array.from({ length: 20 }, (_, n) => `line ${n}\n`).join("");

describe("the exported repository", () => {
  it("passes git fsck --strict and has the same file histories", async () => {
    const { repositoryId, save, now } = await newRepository();
    await save("Create", [put("consoles/a b.sql", TEXT, "id1"), put("apps/shop/src/ä.ts", "x\n"), put("top", "1")]);
    await save("Edit", [put("consoles/a b.sql", `${TEXT}more\n`, "id1")]);
    await save("Rename", [move("consoles/a b.sql", "consoles/deep/b.sql", `${TEXT}more\nand more\n`, "id1")]);
    await save("Other", [put("top", "2"), remove("apps/shop/src/ä.ts")]);
    await createBranch({ repositoryId, name: "user/ada" });
    await save("Side", [put("consoles/deep/b.sql", `first\n${TEXT}more\nand more\n`, "id1")], { branch: "user/ada" });
    await save("Main", [put("consoles/deep/b.sql", `${TEXT}more\nand more\nlast\n`, "id1")]);
    await mergeBranches({ repositoryId, from: "user/ada", author: ADA, now: now() });
    await save("Move again", [move("consoles/deep/b.sql", "consoles/c.sql", undefined, "id1"), put("top", "3")]);
    await createBranch({ repositoryId, name: "user/bob" });
    await withExport(repositoryId, async (dir) => {
      for (const path of ["consoles/c.sql", "top"]) {
        const ours = await ourStory(repositoryId, path);
        // Our history shows a merge where it merged lines of both sides; git lists it without a file.
        const merged = (line: string) => line.replace(/ (M .*)?$/, "").endsWith("Merge branch 'user/ada'");
        const plain = (lines: string[]) => lines.filter((line) => !merged(line));
        expect(plain(ours)).toEqual(plain(await gitStory(dir, path)));
      }
      expect(await ourStory(repositoryId, "consoles/c.sql")).toHaveLength(7);
      expect(await gitLines(dir, "branch", "--format=%(refname:short)")).toEqual(["main", "user/ada", "user/bob"]);
      expect(await gitLines(dir, "ls-tree", "-r", "--name-only", "main")).toEqual(["consoles/c.sql", "top"]);
    });
  });

  it("can be cloned and committed to", async () => {
    const { repositoryId, save } = await newRepository();
    const bytes = randomBytes(9 * 1024 * 1024);
    await save("Files", [put("a.sql", "select 1\n"), put("large.bin", bytes), put("empty", "")]);
    const { dir, remove: removeClone } = await temporaryFolder();
    try {
      await withExport(repositoryId, async (bare) => {
        await git(dir, "clone", "--quiet", bare, "clone");
        const clone = join(dir, "clone");
        await writeFile(join(clone, "a.sql"), "select 2\n");
        await git(clone, "-c", "user.name=B", "-c", "user.email=b@c", "commit", "--quiet", "-am", "By hand");
        await git(clone, "push", "--quiet", "origin", "main");
        expect(await gitLines(bare, "log", "--format=%s", "main")).toEqual(["By hand", "Files"]);
        expect(await gitLines(bare, "cat-file", "-s", "main:large.bin")).toEqual([String(bytes.length)]);
      });
    } finally {
      await removeClone();
    }
  });

  it("keeps messages and names as written, without our headers", async () => {
    const { repositoryId, save } = await newRepository();
    const message = "Umsatz übers Jahr\n\n#1 is no comment\n  indented\n";
    await save(message, [put("a", "1", "id1")], { author: { name: "Zoë Ünal", email: "z@example.com" } });
    await withExport(repositoryId, async (dir) => {
      const { stdout } = await git(dir, "log", "--format=%an <%ae>%n%B", "main");
      expect(stdout).toBe(`Zoë Ünal <z@example.com>\n${message}\n`);
    });
  });

  it("is empty for a workspace without commits", async () => {
    const { repositoryId } = await newRepository();
    await withExport(repositoryId, async (dir) => {
      expect(await gitLines(dir, "for-each-ref")).toEqual([]);
      expect(await gitLines(dir, "rev-parse", "--is-bare-repository")).toEqual(["true"]);
    });
  });

  it("omits what is on no branch", async () => {
    const { repositoryId, save } = await newRepository();
    await save("First", [put("a", "1")]);
    expect(await kindOf(save("Refused", [put("b", "unreachable"), remove("none")]))).toBe("not_found");
    const { dir, remove: removeDir } = await temporaryFolder();
    expect(await exportBare(repositoryId, dir)).toEqual({ branches: 1, objects: 3 });
    await removeDir();
  });

  it("never overwrites a folder with contents", async () => {
    const { repositoryId } = await newRepository();
    const { dir, remove: removeDir } = await temporaryFolder();
    await writeFile(join(dir, "precious"), "1");
    expect(await kindOf(exportBare(repositoryId, dir))).toBe("conflict");
    await removeDir();
  });
});

describe("patches", () => {
  it("are accepted by git apply with the right result", async () => {
    const { repositoryId, save } = await newRepository();
    const steps: [string, string][] = [
      ["plain.sql", TEXT.replace("line 3\n", "").replace("line 15", "l15\nnew")],
      ["plain.sql", "no line end"],
      ["with space.sql", "no line end\r\nand now\r\n"],
      ['"quoted" ü.sql', "ü\n"],
      ['"quoted" ü.sql', ""],
      ['"quoted" ü.sql', "\n\n"],
    ];
    let path = "plain.sql";
    await save("Create", [put(path, TEXT)]);
    for (const [next, content] of steps) {
      const before = (await historyOf({ repositoryId, path })).items[0]?.path ?? "";
      const sha = await save("Step", [next === path ? put(next, content) : move(path, next, content)]);
      path = next;
      const [file] = (await changeOf({ repositoryId, path, sha })).files;
      const { dir, remove: removeDir } = await temporaryFolder();
      await writeFile(join(dir, before), file?.before ?? "");
      await writeFile(join(dir, "change.patch"), file?.patch ?? "");
      await git(dir, "init", "--quiet");
      await git(dir, "apply", "--unidiff-zero", "--whitespace=nowarn", "change.patch");
      const { stdout } = await git(dir, "hash-object", "--no-filters", "--", path);
      const { stdout: expected } = await hashOf(dir, content);
      expect(stdout).toBe(expected);
      await removeDir();
    }
  });
});

async function hashOf(dir: string, content: string) {
  await writeFile(join(dir, "expected"), content);
  return git(dir, "hash-object", "--no-filters", "--", "expected");
}
