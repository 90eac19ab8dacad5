import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { takeOwnDatabase } from "@/test/database";
import { bundleChild, finished, startChild } from "@/test/fixtures/repository/child";
import type { CommitOutcome, CommitTask } from "@/test/fixtures/repository/commit-process";
import type { CrashTask } from "@/test/fixtures/repository/crash-process";
import { withExport } from "@/test/fixtures/repository/git-command";
import { rebuildIndex } from "@/test/fixtures/repository/rebuild-index";
import { ADA, move, newRepository, put } from "@/test/fixtures/repository/repository-fixture";
import { storedIndex } from "@/test/fixtures/repository/stored-index";
import { createBranch, folderHistory, historyOf, listTree, mergeBranches, readFile } from "./service";

const own = takeOwnDatabase();
afterAll(own.drop);

let committer = "";
let crasher = "";
beforeAll(async () => {
  committer = await bundleChild("commit-process");
  crasher = await bundleChild("crash-process");
});
afterAll(() => Promise.all([committer, crasher].map((file) => rm(file, { force: true }))));

/** Time in which both processes start and load their modules, in ms. */
const HEAD_START_MS = 1_500;

async function fromTwoProcesses(repositoryId: string, commits: CommitTask["commits"]): Promise<CommitOutcome[]> {
  const startAt = Date.now() + HEAD_START_MS;
  const half = Math.ceil(commits.length / 2);
  const runs = await Promise.all(
    [commits.slice(0, half), commits.slice(half)].map((share) =>
      finished<CommitOutcome[]>(startChild(committer, { repositoryId, startAt, commits: share } satisfies CommitTask)),
    ),
  );
  return runs.flatMap(({ sent }) => sent.flat());
}

describe("fifty concurrent commits of two processes", () => {
  it("lose none of different files", async () => {
    const { repositoryId, save } = await newRepository();
    await save("Base", [put("base", "1")]);
    const commits = Array.from({ length: 50 }, (_, n) => ({ path: `consoles/f${n}.sql`, content: `select ${n}` }));
    const outcomes = await fromTwoProcesses(repositoryId.toHexString(), commits);
    expect(outcomes.filter(({ error }) => error !== null)).toEqual([]);
    expect(new Set(outcomes.map(({ sha }) => sha)).size).toBe(50);
    for (const { path, content, sha } of outcomes) {
      expect((await readFile({ repositoryId, path })).content.toString()).toBe(content);
      expect((await historyOf({ repositoryId, path })).items).toMatchObject([{ sha, status: "added" }]);
    }
    const all = await folderHistory({ repositoryId, folder: "", limit: 200 });
    expect(all.items).toHaveLength(51);
    const kept = await storedIndex(repositoryId);
    await rebuildIndex(repositoryId);
    expect(await storedIndex(repositoryId)).toEqual(kept);
    await withExport(repositoryId, async () => undefined);
  });

  it("lose none as the repository's first", { tags: ["long"] }, async () => {
    const { repositoryId } = await newRepository();
    const commits = Array.from({ length: 20 }, (_, n) => ({ path: `f${n}`, content: String(n) }));
    const outcomes = await fromTwoProcesses(repositoryId.toHexString(), commits);
    expect(outcomes.filter(({ error }) => error !== null)).toEqual([]);
    expect(await listTree({ repositoryId })).toHaveLength(20);
  });

  it("have one winner and clean conflicts for one file and version", async () => {
    const { repositoryId, save } = await newRepository();
    const expectedHead = await save("Base", [put("a", "base")]);
    const commits = Array.from({ length: 50 }, (_, n) => ({ path: "a", content: `by ${n}`, expectedHead }));
    const outcomes = await fromTwoProcesses(repositoryId.toHexString(), commits);
    const winners = outcomes.filter(({ error }) => error === null);
    expect(winners).toHaveLength(1);
    expect(outcomes.filter(({ error }) => error === "conflict")).toHaveLength(49);
    expect((await readFile({ repositoryId, path: "a" })).content.toString()).toBe(winners[0]?.content);
    expect((await historyOf({ repositoryId, path: "a" })).items).toHaveLength(2);
  });
});

describe("a process killed at any of its writes", () => {
  for (const { every, tags } of [
    { every: 3, tags: [] },
    { every: 1, tags: ["long"] },
  ])
    it(`during a commit leaves the repository unchanged or with the whole commit (one in ${every})`, {
      tags,
      timeout: 120_000,
    }, async () => {
      const seen = { before: 0, after: 0 };
      for (let write = 1; ; write += every) {
        let isDone = false;
        for (const isAfter of [false, true]) {
          const { repositoryId, save } = await newRepository();
          await save("Base", [put("consoles/a.sql", "select 1\n", "file-a"), put("consoles/old.sql", "old\n")]);
          const task: CrashTask = { repositoryId: repositoryId.toHexString(), action: "commit", write, isAfter };
          const { signal } = await finished(startChild(crasher, task));
          isDone = signal === null;
          const files = (await listTree({ repositoryId, recursive: true })).filter(({ kind }) => kind === "file");
          const story = (await historyOf({ repositoryId, fileId: "file-a" })).items.map(({ status, path }) => [
            status,
            path,
          ]);
          if (files.some(({ path }) => path === "consoles/a.sql")) {
            seen.before++;
            expect(files.map(({ path }) => path)).toEqual(["consoles/a.sql", "consoles/old.sql"]);
            expect(story).toEqual([["added", "consoles/a.sql"]]);
          } else {
            seen.after++;
            expect(files.map(({ path }) => path)).toEqual(["consoles/deep/b.sql", "consoles/new.sql"]);
            expect(story).toEqual([
              ["renamed", "consoles/deep/b.sql"],
              ["added", "consoles/a.sql"],
            ]);
            expect((await historyOf({ repositoryId, path: "consoles/old.sql" })).items).toMatchObject([
              { status: "deleted" },
              { status: "added" },
            ]);
          }
          await save("Next", [put("next", "1")]);
          const kept = await storedIndex(repositoryId);
          await rebuildIndex(repositoryId);
          expect(await storedIndex(repositoryId)).toEqual(kept);
          await withExport(repositoryId, async () => undefined);
        }
        if (isDone) break;
      }
      // The test covered kills before and after the branch moved, and a run without a kill.
      expect(seen.before).toBeGreaterThan(1);
      expect(seen.after).toBeGreaterThan(2);
    });

  it("during a merge leaves main unchanged or with the whole merge", { tags: ["long"], timeout: 120_000 }, async () => {
    for (let write = 1; ; write++) {
      const { repositoryId, save } = await newRepository();
      await save("Base", [put("a", "1\n2\n3\n4\n5\n", "file-a"), put("b", "B")]);
      await createBranch({ repositoryId, name: "user/ada" });
      await save("Side", [put("a", "one\n2\n3\n4\n5\n"), move("b", "c")], { branch: "user/ada" });
      await save("Main", [put("a", "1\n2\n3\n4\nfive\n")]);
      const task: CrashTask = { repositoryId: repositoryId.toHexString(), action: "merge", write, isAfter: true };
      const { signal } = await finished(startChild(crasher, task));
      const before = (await historyOf({ repositoryId, fileId: "file-a" })).items.map(({ subject }) => subject);
      const merged = ["Merge branch 'user/ada'", "Side", "Main", "Base"];
      expect([["Main", "Base"], merged]).toContainEqual(before);
      await mergeBranches({ repositoryId, from: "user/ada", author: ADA });
      expect((await historyOf({ repositoryId, fileId: "file-a" })).items.map(({ subject }) => subject)).toEqual(merged);
      expect((await readFile({ repositoryId, path: "a" })).content.toString()).toBe("one\n2\n3\n4\nfive\n");
      const kept = await storedIndex(repositoryId);
      await rebuildIndex(repositoryId);
      expect(await storedIndex(repositoryId)).toEqual(kept);
      if (signal === null) break;
    }
  });
});
