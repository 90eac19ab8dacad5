import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folderHistory, listTree, prepareCommit, readFile, readMain } from "@/lib/features/repository/service";
import { bundleProcess } from "@/test/bundle";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { authorOf, type ConsoleAuthor } from "@/test/fixtures/consoles/console-author";
import type { CrashTask } from "@/test/fixtures/consoles/crash-process";
import type { Save, SaveOutcome, SaveTask } from "@/test/fixtures/consoles/save-process";
import { finished, startChild } from "@/test/fixtures/repository/child";
import { withExport } from "@/test/fixtures/repository/git-command";
import { type Person, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
let saver = "";
let crasher = "";
let person: Person;
beforeAll(async () => {
  person = await seedPerson("Ana");
  saver = await bundleProcess("test/fixtures/consoles/save-process.ts");
  crasher = await bundleProcess("test/fixtures/consoles/crash-process.ts");
});
afterAll(own.drop);

/** Time in which both processes start and load their modules. */
const HEAD_START_MS = 1_500;

async function fromTwoServers(workspaceId: ObjectId, saves: Save[]): Promise<SaveOutcome[]> {
  const { id, email } = person;
  const startAt = Date.now() + HEAD_START_MS;
  const half = Math.ceil(saves.length / 2);
  const runs = await Promise.all(
    [saves.slice(0, half), saves.slice(half)].map((share) => {
      const task: SaveTask = {
        workspaceId: workspaceId.toHexString(),
        user: { id, name: "Ana", email },
        startAt,
        saves: share,
      };
      return finished<SaveOutcome[]>(startChild(saver, task));
    }),
  );
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  return runs.flatMap(({ sent }) => sent.flat());
}

async function newAuthor(): Promise<{ author: ConsoleAuthor; workspaceId: ObjectId }> {
  const answer = await call("POST", "/api/workspaces", { ...person, body: { name: "Harbour" } });
  const { id } = answer.json.data;
  return { author: authorOf(person, id), workspaceId: new ObjectId(id) };
}

async function nothingIsOpen(workspaceId: ObjectId): Promise<void> {
  expect((await readMain(workspaceId)).open).toBeNull();
}

describe("concurrent saves on two servers (F10, T111)", () => {
  it("lose no version and no commit of fifty consoles", async () => {
    const { author, workspaceId } = await newAuthor();
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, n) => author.make(`c${n}`, { access: "workspace", content: `first ${n}` })),
    );
    const outcomes = await fromTwoServers(
      workspaceId,
      made.map(({ id }, n) => ({ id, update: { version: 1, content: `second ${n}` } })),
    );
    expect(outcomes.filter(({ error }) => error !== null)).toEqual([]);
    for (const [n, { id, path }] of made.entries()) {
      expect((await author.send("GET", `/${id}`)).json.data).toMatchObject({ version: 2, content: `second ${n}` });
      expect((await author.send("GET", `/${id}/git/history`)).json.data.items).toHaveLength(2);
      const { content } = await readFile({ repositoryId: workspaceId, path: `consoles/${path}.sql` });
      expect(content.toString()).toBe(`second ${n}`);
    }
    expect((await folderHistory({ repositoryId: workspaceId, folder: "consoles", limit: 200 })).items).toHaveLength(
      100,
    );
    await nothingIsOpen(workspaceId);
    await withExport(workspaceId, async () => undefined);
  });

  it("have one winner of fifty with one version, and forty-nine conflicts", async () => {
    const { author, workspaceId } = await newAuthor();
    const { id } = await author.make("one", { content: "first" });
    const outcomes = await fromTwoServers(
      workspaceId,
      Array.from({ length: 50 }, (_, n) => ({ id, update: { version: 1, content: `by ${n}` } })),
    );
    const winners = outcomes.filter(({ error }) => error === null);
    expect(winners).toHaveLength(1);
    const losers = outcomes.filter(({ error }) => error !== null);
    expect(losers.map(({ error, current }) => [error, current])).toEqual(Array(49).fill(["conflict", 2]));
    expect((await author.send("GET", `/${id}`)).json.data).toMatchObject({ version: 2, content: winners[0]?.content });
    expect((await author.send("GET", `/${id}/git/history`)).json.data.items).toHaveLength(2);
    await nothingIsOpen(workspaceId);
  });

  it("leave one of fifty new ones at one path, in variants of its name", { tags: ["long"] }, async () => {
    const { author, workspaceId } = await newAuthor();
    const forms = ["caf\u00e9", "cafe\u0301", "CAF\u00c9", "Caf\u00e9.sql", "caf\uff45\u0301"];
    const outcomes = await fromTwoServers(
      workspaceId,
      Array.from({ length: 50 }, (_, n) => ({
        create: { name: forms[n % forms.length] ?? "", content: `by ${n}`, access: "workspace" as const },
      })),
    );
    const winners = outcomes.filter(({ error }) => error === null);
    expect([winners.length, outcomes.filter(({ error }) => error === "conflict").length]).toEqual([1, 49]);
    expect((await author.send("GET", "")).json.data.map((each: { id: string }) => each.id)).toEqual([winners[0]?.id]);
    const files = (await listTree({ repositoryId: workspaceId, recursive: true })).filter(
      ({ kind }) => kind === "file",
    );
    expect(files).toHaveLength(1);
  });

  it("have one winner of a hundred on one server too", async () => {
    const { author } = await newAuthor();
    const { id } = await author.make("one");
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => author.save(id, { version: 1, content: "the same text" })),
    );
    const counts = [200, 409].map((status) => answers.filter((answer) => answer.status === status).length);
    expect(counts).toEqual([1, 99]);
  });
});

describe("a server killed at any write of a save or a push", { tags: ["long"] }, () => {
  type Seen = "before" | "after" | "unharmed";

  /** Kills a server at the first write, then at each later one by that distance, up to a server that finishes. */
  async function killedAtEach(every: number, killAt: (write: number) => Promise<Seen>): Promise<Seen[]> {
    const seen: Seen[] = [];
    // Several at a time: each waits two seconds for a server that will not come back.
    while (!seen.includes("unharmed")) {
      seen.push(...(await Promise.all(Array.from({ length: 5 }, (_, n) => killAt((seen.length + n) * every + 1)))));
    }
    return seen;
  }

  async function saveKilledAt(write: number): Promise<Seen> {
    const { author, workspaceId } = await newAuthor();
    const { id } = await author.make("first", { content: "one" });
    const task: CrashTask = { workspaceId: workspaceId.toHexString(), userId: person.id, consoleId: id, write };
    const { code, signal } = await finished(startChild(crasher, task));
    expect([code, signal]).toEqual(signal === null ? [0, null] : [null, "SIGKILL"]);
    // A history request completes the abandoned change, after two seconds.
    const story = await author.story(id);
    const doc = (await author.send("GET", `/${id}`)).json.data;
    const shared = (await listTree({ repositoryId: workspaceId, recursive: true })).filter(
      ({ kind }) => kind === "file",
    );
    const isBefore = doc.version === 1;
    if (isBefore) {
      expect(doc).toMatchObject({ name: "first", content: "one", access: "private" });
      expect(story).toEqual(["added consoles/first.sql: Create first"]);
      expect(shared).toEqual([]);
    } else {
      expect(doc).toMatchObject({ version: 2, name: "renamed", content: "two", access: "workspace" });
      expect(story).toEqual(["added consoles/renamed.sql: Share renamed", "added consoles/first.sql: Create first"]);
      expect(shared.map(({ path }) => path)).toEqual(["consoles/renamed.sql"]);
    }
    await nothingIsOpen(workspaceId);
    // Saving works after each kind of crash.
    expect((await author.save(id, { version: doc.version, content: "three" })).status).toBe(200);
    expect((await author.story(id))[0]).toMatch(/^modified .*: Save /);
    if (signal === null) return "unharmed";
    return isBefore ? "before" : "after";
  }

  for (const { every, tags } of [
    { every: 3, tags: [] },
    { every: 1, tags: ["long"] },
  ]) {
    it("leaves the console either old or saved, and git follows", { timeout: 180_000, tags }, async () => {
      const seen = await killedAtEach(every, saveKilledAt);
      expect(seen.filter((each) => each === "before").length).toBeGreaterThan(0);
      expect(seen.filter((each) => each === "after").length).toBeGreaterThan(Math.floor(8 / every));
    });
  }

  async function pushKilledAt(write: number): Promise<Seen> {
    const { author, workspaceId } = await newAuthor();
    const shared = { access: "workspace" };
    const edited = await author.make("edited", { ...shared, content: "one" });
    const moved = await author.make("moved", { ...shared, content: "from a\nwhere b\n" });
    const gone = await author.make("gone", shared);
    const { oid: before } = await readMain(workspaceId);
    const after = await prepareCommit(workspaceId, before, {
      author: { name: "Bo", email: "bo@example.com" },
      message: "Push",
      changes: [
        { kind: "put", path: "consoles/edited.sql", content: "two" },
        { kind: "move", from: "consoles/moved.sql", to: "consoles/new folder/moved.sql" },
        { kind: "delete", path: "consoles/gone.sql" },
        { kind: "put", path: "consoles/new folder/added.sql", content: "new" },
      ],
      change: 0,
      now: new Date(),
    });
    const push = { before: before ?? "", after: after ?? "" };
    const task: CrashTask = { workspaceId: workspaceId.toHexString(), userId: person.id, consoleId: "", write, push };
    const { code, signal } = await finished(startChild(crasher, task));
    expect([code, signal]).toEqual(signal === null ? [0, null] : [null, "SIGKILL"]);
    // A history request completes the abandoned change, after two seconds.
    await author.story(edited.id);
    const isBefore = (await readMain(workspaceId)).oid === before;
    const items = (await author.send("GET", "")).json.data as { id: string; path: string; version: number }[];
    const shown = items.map(({ path, version }) => [path, version]).sort();
    const old = [
      ["edited", 1],
      ["gone", 1],
      ["moved", 1],
    ];
    const now = [
      ["edited", 2],
      ["new folder/added", 1],
      ["new folder/moved", 2],
    ];
    expect(shown).toEqual(isBefore ? old : now);
    const files = await listTree({ repositoryId: workspaceId, recursive: true });
    expect(
      files.filter(({ kind }) => kind === "file").map(({ path }) => path.slice("consoles/".length, -".sql".length)),
    ).toEqual(expect.arrayContaining(shown.map(([path]) => path)));
    await nothingIsOpen(workspaceId);
    expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining([edited.id, moved.id]));
    expect((await author.save(edited.id, { version: isBefore ? 1 : 2, content: "three" })).status).toBe(200);
    if (!isBefore) expect((await author.send("POST", `/${gone.id}/restore`)).status).toBe(200);
    if (signal === null) return "unharmed";
    return isBefore ? "before" : "after";
  }

  for (const { every, tags } of [
    { every: 3, tags: [] },
    { every: 1, tags: ["long"] },
  ]) {
    it("leaves a push whole or without effect, in main and in the consoles", { timeout: 180_000, tags }, async () => {
      const seen = await killedAtEach(every, pushKilledAt);
      expect(new Set(seen)).toEqual(new Set(["before", "after", "unharmed"]));
    });
  }
});
