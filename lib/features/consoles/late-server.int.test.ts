import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyIntents } from "@/lib/features/folders/apply";
import { applyWrites, withdrawLateInserts } from "@/lib/features/folders/apply-writes";
import { commitPart, realign } from "@/lib/features/folders/commit-part";
import { listHistory } from "@/lib/features/folders/history";
import type { JournalDoc } from "@/lib/features/folders/model";
import { collections } from "@/lib/features/instance/collections";
import { commitChanges, historyOf, readFile } from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { databaseReady } from "@/lib/platform/db/ready";
import { takeOwnDatabase } from "@/test/database";
import { callerIn } from "@/test/fixtures/access/caller";
import { CONSOLES } from "./item-kind";
import { createConsole, deleteConsole, getConsole, undeleteConsole, updateConsole } from "./service";

const own = takeOwnDatabase();
beforeAll(databaseReady);
afterAll(own.drop);

/** Makes a change and captures its intent, as a server that stopped right after writing it would have left it. */
async function intentOf(caller: Caller, change: () => Promise<unknown>) {
  const { workspaceId } = caller;
  const seen: JournalDoc[] = [];
  const journals = collections.consoleJournals();
  const updateOne = Object.getPrototypeOf(journals).updateOne;
  Object.getPrototypeOf(journals).updateOne = async function (this: unknown, ...args: unknown[]) {
    const result = await updateOne.apply(this, args);
    const open = await collections.consoleJournals().findOne({ workspaceId, isOpen: true });
    if (open) seen.push(open);
    return result;
  };
  try {
    await change();
  } finally {
    Object.getPrototypeOf(journals).updateOne = updateOne;
  }
  const last = seen.at(-1);
  if (!last?.intent) throw new Error("The change had no intent.");
  return { seq: last.seq, intent: last.intent };
}

const fileOf = async (caller: Caller, path: string) =>
  (await readFile({ repositoryId: caller.workspaceId, path })).content.toString();

describe("a server that wakes up long after others completed its change", () => {
  it("overwrites no later document, and reverts a commit that landed on equal content", async () => {
    const caller = callerIn(new ObjectId());
    const { workspaceId } = caller;
    const made = await createConsole(caller, { name: "a", content: "x", access: "workspace" });
    const id = new ObjectId(made.id);
    const { seq, intent } = await intentOf(caller, () => updateConsole(caller, id, { version: 1, content: "y" }));
    await updateConsole(caller, id, { version: 2, content: "x" });
    const before = await getConsole(caller, id);
    const { items } = await listHistory(caller, CONSOLES, id, { limit: 50 });

    await applyIntents(CONSOLES, workspaceId, seq);
    await applyWrites(CONSOLES, workspaceId, seq, intent);
    expect(await getConsole(caller, id)).toEqual(before);
    expect((await listHistory(caller, CONSOLES, id, { limit: 50 })).items).toEqual(items);

    const [part] = intent.parts;
    if (!part) throw new Error("The save has a commit.");
    expect(await commitPart(CONSOLES, workspaceId, seq, intent, part, async () => false)).toBe(true);
    expect(await fileOf(caller, "consoles/a.sql")).toBe("y");
    await realign(CONSOLES, workspaceId, intent, part);
    expect(await fileOf(caller, "consoles/a.sql")).toBe("x");
    await realign(CONSOLES, workspaceId, intent, part);
    expect((await listHistory(caller, CONSOLES, id, { limit: 50 })).items).toHaveLength(items.length + 2);
  });

  it("restores no deleted console, and deletes no restored one", async () => {
    const caller = callerIn(new ObjectId());
    const { workspaceId } = caller;
    let id = new ObjectId();
    const making = await intentOf(caller, async () => {
      id = new ObjectId((await createConsole(caller, { name: "a", content: "x", access: "workspace" })).id);
    });
    const deleting = await intentOf(caller, () => deleteConsole(caller, id));
    await applyWrites(CONSOLES, workspaceId, making.seq, making.intent);
    await withdrawLateInserts(CONSOLES, workspaceId, making.seq, making.intent);
    expect(await collections.consoles().countDocuments({ workspaceId })).toBe(0);

    await undeleteConsole(caller, id, {});
    const before = await getConsole(caller, id);
    for (const { seq, intent } of [making, deleting]) {
      await applyWrites(CONSOLES, workspaceId, seq, intent);
      await withdrawLateInserts(CONSOLES, workspaceId, seq, intent);
    }
    expect(await getConsole(caller, id)).toEqual(before);
  });
});

describe("a repository that someone else has pushed to", () => {
  it("gets the next save on top, with both in the history", async () => {
    const caller = callerIn(new ObjectId());
    const { workspaceId } = caller;
    const id = new ObjectId((await createConsole(caller, { name: "a", content: "x", access: "workspace" })).id);
    const foreign = (content: string) =>
      commitChanges({
        repositoryId: workspaceId,
        author: { name: "Else", email: "else@example.com" },
        message: "From elsewhere",
        changes: [{ kind: "put", path: "consoles/a.sql", content }],
      });
    await foreign("theirs");
    await updateConsole(caller, id, { version: 1, content: "mine" });
    expect(await fileOf(caller, "consoles/a.sql")).toBe("mine");
    const subjects = (await listHistory(caller, CONSOLES, id, { limit: 50 })).items.map(({ subject }) => subject);
    expect(subjects).toEqual(["Save a", "From elsewhere", "Create a"]);
  });

  it("gets a lost console back under its new name", async () => {
    const caller = callerIn(new ObjectId());
    const { workspaceId } = caller;
    const id = new ObjectId((await createConsole(caller, { name: "a", content: "x", access: "workspace" })).id);
    await commitChanges({
      repositoryId: workspaceId,
      author: { name: "Else", email: "else@example.com" },
      message: "Clear",
      changes: [{ kind: "delete", path: "consoles/a.sql" }],
    });
    await updateConsole(caller, id, { version: 1, name: "b" });
    expect(await fileOf(caller, "consoles/b.sql")).toBe("x");
    const { items } = await historyOf({ repositoryId: workspaceId, fileId: id.toHexString() });
    expect(items.map(({ status, path }) => [status, path])).toEqual([
      ["added", "consoles/b.sql"],
      ["deleted", "consoles/a.sql"],
      ["added", "consoles/a.sql"],
    ]);
    expect(await collections.consoleJournals().findOne({ workspaceId })).toMatchObject({ isOpen: false });
  });

  it("that changed between a change's base and its commit is made equal to the documents", async () => {
    const caller = callerIn(new ObjectId());
    const { workspaceId } = caller;
    const id = new ObjectId((await createConsole(caller, { name: "a", content: "x", access: "workspace" })).id);
    const { seq, intent } = await intentOf(caller, () => updateConsole(caller, id, { version: 1, content: "y" }));
    const [part] = intent.parts;
    if (!part) throw new Error("The save has a commit.");
    await commitChanges({
      repositoryId: workspaceId,
      author: intent.author,
      message: "From elsewhere",
      changes: [{ kind: "put", path: "consoles/a.sql", content: "theirs" }],
    });
    await commitPart(CONSOLES, workspaceId, seq, intent, part, async () => true);
    expect(await fileOf(caller, "consoles/a.sql")).toBe("y");
  });
});
