import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { listHistory } from "@/lib/features/folders/history";
import { WORKSPACE_SPACE } from "@/lib/features/folders/model";
import { createFolder, deleteFolder, listFolders, updateFolder } from "@/lib/features/folders/service";
import { collections } from "@/lib/features/instance/collections";
import { listTree, readFile, readMain } from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { databaseReady } from "@/lib/platform/db/ready";
import { AppError } from "@/lib/platform/http/errors";
import { takeOwnDatabase } from "@/test/database";
import { callerIn } from "@/test/fixtures/access/caller";
import { type Folder, fileOf, type Item, Model, pathOf, Refusal } from "@/test/fixtures/consoles/model";
import { Random } from "@/test/fixtures/consoles/random";
import { CONSOLES } from "./item-kind";
import { createConsole, deleteConsole, getConsole, listConsoles, undeleteConsole, updateConsole } from "./service";

const own = takeOwnDatabase();
beforeAll(databaseReady);
afterAll(own.drop);

/** F10 requires 10,000; every run of the suite takes some hundred, with a new seed each time. */
const OPERATIONS = Number(process.env.CONSOLE_OPERATIONS ?? 150);
const SEED = Number(process.env.CONSOLE_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Interval between full comparisons; each operation's own result is always compared. */
const COMPARE_EVERY = 100;
const MS_PER_OPERATION = 300;
const ALL = { limit: 10_000 };
const CLOCK_STEPS_MS = [0, 0, 0, 0, 0, 0, 1_000, 1_000, 2_000, -1_000, -5_000];

const NAMES = ["a", "b", "A", "c.sql", "d", "e", "ü"];
const FOLDER_NAMES = ["f", "g", "F", "a.sql", "h"];

describe("random operations of two people", () => {
  it(
    `match a simple model in documents and git (F10; CONSOLE_SEED=${SEED} CONSOLE_OPERATIONS=${OPERATIONS})`,
    async () => {
      const workspaceId = new ObjectId();
      const people = ["ana", "ben"].map((name) => callerIn(workspaceId, { name }));
      const random = new Random(SEED);
      const play = new Play(people, random);
      // Dates come from the seed too: events within one second, and a server whose clock is behind (F9).
      vi.useFakeTimers({ toFake: ["Date"] });
      onTestFinished(() => void vi.useRealTimers());
      for (let step = 1; step <= OPERATIONS; step++) {
        vi.setSystemTime(Date.now() + random.pick(CLOCK_STEPS_MS));
        await play.step();
        if (step % COMPARE_EVERY === 0 || step === OPERATIONS) await play.compare();
      }
      expect(play.done.size).toBeGreaterThan(10);
    },
    OPERATIONS * MS_PER_OPERATION + 60_000,
  );
});

class Play {
  /** Operations with their results, so that a run that never met a rule fails. */
  readonly done = new Set<string>();
  private readonly model = new Model();
  private texts = 0;

  constructor(
    private readonly people: Caller[],
    private readonly random: Random,
  ) {}

  async step(): Promise<void> {
    const { random, model } = this;
    const caller = random.pick(this.people);
    const who = caller.user._id.toHexString();
    const every = [...model.items, ...model.trash];
    const actions: [string, number, () => Promise<void>][] = [
      ["create", 5, () => this.create(caller, who)],
      ["folder", 2, () => this.createFolder(caller, who)],
    ];
    if (every.length > 0) {
      const item = random.pick(every);
      actions.push(
        ["save", 12, () => this.save(caller, who, item)],
        [
          "delete",
          2,
          () =>
            this.both(
              "delete",
              () => model.delete(who, item),
              () => deleteConsole(caller, idOf(item)),
            ),
        ],
        [
          "undelete",
          3,
          () =>
            this.both(
              "undelete",
              () => model.undelete(who, item),
              () => undeleteConsole(caller, idOf(item), {}),
            ),
        ],
      );
    }
    if (model.folders.length > 0) {
      const folder = random.pick(model.folders);
      const recursive = random.below(3) === 0;
      actions.push(
        ["change folder", 4, () => this.changeFolder(caller, who, folder)],
        [
          "delete folder",
          1,
          () =>
            this.both(
              "delete folder",
              () => model.deleteFolder(who, folder, recursive),
              () => deleteFolder(caller, CONSOLES, idOf(folder), { recursive }),
            ),
        ],
      );
    }
    await random.pick(actions.flatMap(([, weight, action]) => Array<() => Promise<void>>(weight).fill(action)))();
  }

  /** Requires the same effect, or the same error, of model and product. */
  private async both(name: string, model: () => unknown, product: () => Promise<unknown>): Promise<void> {
    const told = await endOf(product);
    const expected = await endOf(async () => model());
    this.done.add(`${name}: ${expected}`);
    expect([name, told]).toEqual([name, expected]);
  }

  private async create(caller: Caller, who: string): Promise<void> {
    const folder = this.folderOrNone();
    const wish = { name: this.random.pick(NAMES), content: this.text(), ...this.access() };
    let id = "";
    await this.both(
      "create",
      () => this.model.create(who, () => id, { ...wish, folder }),
      async () => {
        id = (await createConsole(caller, { ...wish, folderId: folder?.id ?? null })).id;
      },
    );
  }

  private async save(caller: Caller, who: string, item: Item): Promise<void> {
    const { random } = this;
    const version = item.version - (random.below(5) === 0 ? 1 : 0);
    const change = {
      version,
      ...(random.below(2) === 0 && { content: this.text() }),
      ...(random.below(4) === 0 && { name: random.pick(NAMES) }),
      ...(random.below(3) === 0 && this.access()),
    };
    const moves = random.below(4) === 0;
    const folder = this.folderOrNone();
    await this.both(
      "save",
      () => this.model.save(who, item, { ...change, ...(moves && { folder }) }),
      () => updateConsole(caller, idOf(item), { ...change, ...(moves && { folderId: folder?.id ?? null }) }),
    );
  }

  private async createFolder(caller: Caller, who: string): Promise<void> {
    const parent = this.folderOrNone();
    const wish = { name: this.random.pick(FOLDER_NAMES), ...this.access() };
    let id = "";
    await this.both(
      "create folder",
      () => this.model.createFolder(who, () => id, { ...wish, parent }),
      async () => {
        id = (await createFolder(caller, CONSOLES, { ...wish, parentId: parent?.id ?? null })).id;
      },
    );
  }

  private async changeFolder(caller: Caller, who: string, folder: Folder): Promise<void> {
    const { random } = this;
    const change = {
      ...(random.below(2) === 0 && { name: random.pick(FOLDER_NAMES) }),
      ...(random.below(3) === 0 && this.access()),
    };
    const moves = random.below(2) === 0;
    const parent = this.folderOrNone();
    await this.both(
      "change folder",
      () => this.model.changeFolder(who, folder, { ...change, ...(moves && { parent }) }),
      () => updateFolder(caller, CONSOLES, idOf(folder), { ...change, ...(moves && { parentId: parent?.id ?? null }) }),
    );
  }

  async compare(): Promise<void> {
    const { model, people } = this;
    const workspaceId = people[0]?.workspaceId ?? new ObjectId();
    for (const caller of people) {
      const who = caller.user._id.toHexString();
      const isSeen = ({ space }: { space: string }) => space === WORKSPACE_SPACE || space === who;
      const { items: listed } = await listConsoles(caller, ALL);
      const consoles = await Promise.all(listed.map(({ id }) => getConsole(caller, new ObjectId(id))));
      expect(
        byId(consoles.map(({ id, path, content, version, folderId }) => ({ id, path, content, version, folderId }))),
      ).toEqual(
        byId(
          model.items.filter(isSeen).map((item) => ({
            id: item.id,
            path: fileOf(item).replace(/\.sql$/, ""),
            content: item.content,
            version: item.version,
            folderId: item.folder?.id ?? null,
          })),
        ),
      );
      const { items: folders } = await listFolders(caller, CONSOLES, ALL);
      expect(byId(folders.map(({ id, path }) => ({ id, path })))).toEqual(
        byId(model.folders.filter(isSeen).map((folder) => ({ id: folder.id, path: pathOf(folder) }))),
      );
      const repository = await collections.privateRepositories().findOne({ workspaceId, ownerId: caller.user._id });
      if (repository) await this.compareGit(repository._id, who);
      for (const item of model.items.filter((each) => each.owner === who)) {
        expect([item.name, await this.commitsOf(caller, item)]).toEqual([item.name, item.commits]);
      }
    }
    await this.compareGit(workspaceId, WORKSPACE_SPACE);
    expect((await readMain(workspaceId)).open).toBeNull();
  }

  private async compareGit(repositoryId: ObjectId, space: string): Promise<void> {
    const expected = this.model.items.filter((item) => item.space === space);
    const tree = await listTree({ repositoryId, recursive: true });
    const files = tree.filter(({ kind }) => kind === "file").map(({ path }) => path);
    expect(files.sort()).toEqual(expected.map((item) => `consoles/${fileOf(item)}`).sort());
    for (const item of expected) {
      const { content } = await readFile({ repositoryId, path: `consoles/${fileOf(item)}` });
      expect(content.toString()).toBe(item.content);
    }
  }

  private async commitsOf(caller: Caller, item: Item): Promise<number> {
    let count = 0;
    let cursor: string | undefined;
    do {
      const page = await listHistory(caller, CONSOLES, idOf(item), { limit: 50, cursor });
      count += page.items.length;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return count;
  }

  private folderOrNone(): Folder | null {
    const { folders } = this.model;
    return folders.length === 0 || this.random.below(3) === 0 ? null : this.random.pick(folders);
  }

  private access(): { access?: "private" | "workspace" } {
    const pick = this.random.below(3);
    return pick === 0 ? {} : { access: pick === 1 ? "private" : "workspace" };
  }

  private text(): string {
    return `select ${++this.texts}\n`;
  }
}

async function endOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "done";
  } catch (error) {
    if (error instanceof AppError || error instanceof Refusal) return error.kind;
    throw error;
  }
}

function idOf({ id }: { id: string }): ObjectId {
  return new ObjectId(id);
}

function byId<T extends { id: string }>(items: T[]): T[] {
  return items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

it("lose no text without a conflict in concurrent saves (F10)", async () => {
  const workspaceId = new ObjectId();
  const people = ["ana", "ben", "cid", "dot"].map((name) => callerIn(workspaceId, { name }));
  const [first] = people;
  if (!first) throw new Error("There are four.");
  const consoles: ObjectId[] = [];
  for (const name of ["x", "y"]) {
    consoles.push(idOf(await createConsole(first, { name, content: "", access: "workspace" })));
  }
  const kept = new Map(consoles.map((id) => [id.toHexString(), [] as string[]]));
  await Promise.all(
    people.map(async (caller, index) => {
      for (let n = 0; n < 20; n++) {
        const id = consoles[(n + index) % consoles.length] ?? new ObjectId();
        const token = `${caller.user.name}-${n}`;
        const seen = await getConsole(caller, id);
        const end = await endOf(() =>
          updateConsole(caller, id, { version: seen.version, content: `${seen.content}${token}\n` }),
        );
        expect(["done", "conflict"]).toContain(end);
        if (end === "done") kept.get(id.toHexString())?.push(token);
      }
    }),
  );
  for (const id of consoles) {
    const tokens = kept.get(id.toHexString()) ?? [];
    const saved = await getConsole(first, id);
    expect(saved.content.split("\n").filter(Boolean).sort()).toEqual(tokens.toSorted());
    expect(saved.version).toBe(tokens.length + 1);
    expect((await listHistory(first, CONSOLES, id, { limit: 200 })).items).toHaveLength(tokens.length + 1);
    expect(tokens.length).toBeGreaterThan(5);
  }
});
