import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { takeOwnDatabase } from "@/test/database";
import { aheadBehind } from "@/test/fixtures/repository/ahead-behind";
import { gitLines, withExport } from "@/test/fixtures/repository/git-command";
import { rebuildIndex } from "@/test/fixtures/repository/rebuild-index";
import { ADA, newRepository, put } from "@/test/fixtures/repository/repository-fixture";
import { storedIndex } from "@/test/fixtures/repository/stored-index";
import { ancestryOf, mergeBase } from "./ancestry";
import { headOrThrow } from "./read";
import { createBranch, folderHistory, mergeBranches } from "./service";

const own = takeOwnDatabase();
afterAll(own.drop);

const BRANCHES = ["main", "user/a", "user/b", "c"];
const name = fc.constantFrom(...BRANCHES);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("commit" as const), branch: name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("branch" as const), branch: name, from: name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("merge" as const), branch: name, from: name }) },
);

it("counts, merges and lists random branches as git does, and the index equals git's result", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 45 }), async (steps) => {
      const { repositoryId, save, now } = await newRepository();
      await save("Base", [put("base", "1")]);
      const known = new Set(["main"]);
      for (const [index, each] of steps.entries()) {
        const { branch } = each;
        if (each.kind === "branch") {
          if (known.has(branch) || !known.has(each.from)) continue;
          await createBranch({ repositoryId, name: branch, from: each.from });
          known.add(branch);
        } else if (!known.has(branch)) continue;
        else if (each.kind === "commit") await save(`Step ${index}`, [put(`f${index}`, `${index}`)], { branch });
        else if (known.has(each.from)) {
          const result = await mergeBranches({ repositoryId, from: each.from, into: branch, author: ADA, now: now() });
          expect(result.merged).toBe(true);
        }
      }
      await withExport(repositoryId, async (dir) => {
        for (const a of known) {
          for (const b of known) {
            const [counts = ""] = await gitLines(dir, "rev-list", "--left-right", "--count", `${a}...${b}`);
            const [ahead, behind] = counts.split("\t").map(Number);
            expect(await aheadBehind({ repositoryId, branch: a, against: b })).toEqual({ ahead, behind });
            const sides = await Promise.all(
              [a, b].map(async (side) => ancestryOf(repositoryId, await headOrThrow(repositoryId, side))),
            );
            const [one, other] = sides;
            const base = one && other ? await mergeBase(repositoryId, one, other) : null;
            expect(await gitLines(dir, "merge-base", "--all", a, b)).toContain(base);
          }
          const { items } = await folderHistory({ repositoryId, branch: a, folder: "", limit: 200 });
          expect(items.map(({ sha }) => sha).toSorted()).toEqual((await gitLines(dir, "rev-list", a)).toSorted());
        }
      });
      const kept = await storedIndex(repositoryId);
      await rebuildIndex(repositoryId);
      expect(await storedIndex(repositoryId)).toEqual(kept);
    }),
    { numRuns: 12 },
  );
}, 120_000);
