import { join } from "node:path";
import { ObjectId } from "mongodb";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { takeOwnDatabase } from "@/test/database";
import { gitLines, temporaryFolder } from "@/test/fixtures/repository/git-command";
import { newRepository, put } from "@/test/fixtures/repository/repository-fixture";
import { exportCommand } from "./export-repository";

const own = takeOwnDatabase();
afterAll(own.drop);

describe("npm run repo:export", () => {
  let printed: string[] = [];
  const print = (line: string) => printed.push(line);
  beforeEach(() => {
    printed = [];
  });

  it("writes a workspace's repository, by slug or ID", async () => {
    const { repositoryId: workspaceId, save } = await newRepository();
    await save("First", [put("consoles/a.sql", "select 1\n")]);
    const at = new Date();
    await collections
      .workspaces()
      .insertOne({ _id: workspaceId, name: "Harbour", slug: "harbour", createdAt: at, updatedAt: at });
    const { dir, remove } = await temporaryFolder();
    expect(await exportCommand(["harbour", join(dir, "by slug")], print)).toBe(0);
    expect(await exportCommand([workspaceId.toHexString(), join(dir, "by id")], print)).toBe(0);
    for (const name of ["by slug", "by id"]) {
      expect(await gitLines(join(dir, name), "log", "--format=%s", "main")).toEqual(["First"]);
    }
    expect(printed[0]).toBe(`Wrote 4 objects and 1 branch to ${join(dir, "by slug")}`);
    await remove();
  });

  it("says what to do if something is missing", async () => {
    expect(await exportCommand(["only-one"], print)).toBe(1);
    expect(await exportCommand([new ObjectId().toHexString(), "unused"], print)).toBe(1);
    expect(printed[0]).toContain("npm run repo:export -- <workspace id or slug> <new folder>");
    expect(printed[1]).toMatch(/Workspace “.+” not found/);
  });
});
