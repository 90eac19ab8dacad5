import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyChange } from "@/lib/features/folders/apply-change";
import { completeAbandoned } from "@/lib/features/folders/change-items";
import { listHistory } from "@/lib/features/folders/history";
import type { ItemChange } from "@/lib/features/folders/model";
import { collections } from "@/lib/features/instance/collections";
import { openChange, readFile, readMain } from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { databaseReady } from "@/lib/platform/db/ready";
import { takeOwnDatabase } from "@/test/database";
import { callerIn } from "@/test/fixtures/access/caller";
import { CONSOLES } from "./item-kind";
import { createConsole, deleteConsole, getConsole, undeleteConsole, updateConsole } from "./service";

const own = takeOwnDatabase();
beforeAll(databaseReady);
afterAll(own.drop);

/** Makes a change, and captures it as a server that stopped right after main moved would have left it. */
async function openedBy(caller: Caller, change: () => Promise<unknown>): Promise<[ObjectId, number, ItemChange]> {
  const { workspaceId } = caller;
  const seen: [ObjectId, number, ItemChange][] = [];
  const prototype = Object.getPrototypeOf(collections.gitRefs());
  const { updateOne } = prototype;
  prototype.updateOne = async function (this: unknown, ...args: unknown[]) {
    const result = await updateOne.apply(this, args);
    const { seq, open } = await readMain(workspaceId);
    if (open) seen.push([workspaceId, seq, open as ItemChange]);
    return result;
  };
  try {
    await change();
  } finally {
    prototype.updateOne = updateOne;
  }
  const last = seen.at(-1);
  if (!last) throw new Error("No change was open.");
  return last;
}

const commitsOf = async (caller: Caller, id: ObjectId) =>
  (await listHistory(caller, CONSOLES, id, { limit: 50 })).items.map(({ subject }) => subject);

describe("a server that wakes up long after others completed its change", () => {
  it("overwrites no later document, and moves no branch", async () => {
    const caller = callerIn(new ObjectId());
    const made = await createConsole(caller, { name: "a", content: "x", access: "workspace" });
    const id = new ObjectId(made.id);
    const saving = await openedBy(caller, () => updateConsole(caller, id, { version: 1, content: "y" }));
    await updateConsole(caller, id, { version: 2, content: "x" });
    const before = [await getConsole(caller, id), await commitsOf(caller, id)];
    await applyChange(...saving);
    expect([await getConsole(caller, id), await commitsOf(caller, id)]).toEqual(before);
    const { content } = await readFile({ repositoryId: caller.workspaceId, path: "consoles/a.sql" });
    expect(content.toString()).toBe("x");
  });

  it("moves no private branch back", async () => {
    const caller = callerIn(new ObjectId());
    const id = new ObjectId((await createConsole(caller, { name: "a", content: "x" })).id);
    const saving = await openedBy(caller, () => updateConsole(caller, id, { version: 1, content: "y" }));
    await updateConsole(caller, id, { version: 2, content: "z" });
    const before = [await getConsole(caller, id), await commitsOf(caller, id)];
    await applyChange(...saving);
    expect([await getConsole(caller, id), await commitsOf(caller, id)]).toEqual(before);
    expect(before[1]).toHaveLength(3);
  });

  it("restores no deleted console, and deletes no restored one", async () => {
    const caller = callerIn(new ObjectId());
    const { workspaceId } = caller;
    let id = new ObjectId();
    const making = await openedBy(caller, async () => {
      id = new ObjectId((await createConsole(caller, { name: "a", content: "x", access: "workspace" })).id);
    });
    const deleting = await openedBy(caller, () => deleteConsole(caller, id));
    await applyChange(...making);
    expect(await collections.consoles().countDocuments({ workspaceId })).toBe(0);

    await undeleteConsole(caller, id, {});
    const before = await getConsole(caller, id);
    for (const change of [making, deleting]) await applyChange(...change);
    expect(await getConsole(caller, id)).toEqual(before);
    expect(await collections.deletedConsoles().countDocuments({ workspaceId })).toBe(0);
  });
});

describe("a server that died after main moved", () => {
  it("leaves a change that the sweep of another one completes, without a visitor", async () => {
    const caller = callerIn(new ObjectId());
    const { workspaceId, user } = caller;
    const id = new ObjectId((await createConsole(caller, { name: "a", content: "x", access: "workspace" })).id);
    const change: ItemChange = {
      userId: user._id,
      at: new Date(Date.now() - 60_000),
      root: "consoles",
      writes: [{ kind: "update", id, set: { content: "y", version: 2 } }],
    };
    const main = await readMain(workspaceId);
    expect(await openChange(workspaceId, main, main.oid, change)).toBe(true);
    expect(await openChange(workspaceId, main, main.oid, change)).toBe(false);
    await completeAbandoned();
    expect(await getConsole(caller, id)).toMatchObject({ content: "y", version: 2 });
    expect(await readMain(workspaceId)).toMatchObject({ seq: main.seq + 1, open: null });
  });
});
