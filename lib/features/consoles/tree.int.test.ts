import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { takeOwnDatabase } from "@/test/database";
import { authorOf, type ConsoleAuthor } from "@/test/fixtures/consoles/console-author";
import { type Person, seedMember, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
let [anas, bens, strangers] = [] as unknown as [ConsoleAuthor, ConsoleAuthor, ConsoleAuthor];
let ana: Person;
beforeAll(async () => {
  ana = await seedPerson("Ana");
  const stranger = await seedPerson("Stranger");
  anas = authorOf(ana, ana.workspaceId);
  bens = authorOf(await seedMember(ana.workspaceId, "member"), ana.workspaceId);
  strangers = authorOf(stranger, stranger.workspaceId);
});
afterAll(own.drop);

const free = (stem = "t") => `${stem}-${randomBytes(5).toString("hex")}`;
const ABSENT = "f".repeat(24);
type Named = { name: string };
const open = async (author: ConsoleAuthor, query: string) => (await author.send("GET", `/tree${query}`)).json.data;
const namesOf = (items: Named[]) => items.map(({ name }) => name);

describe("the tree of consoles", () => {
  it("opens one folder: its subfolders with counts, then its consoles, by name", async () => {
    const top = await anas.makeFolder(free(), { access: "workspace" });
    const b = await anas.makeFolder("b", { parentId: top.id });
    const a = await anas.makeFolder("A", { parentId: top.id });
    await anas.make("deep", { folderId: (await anas.makeFolder("inner", { parentId: b.id })).id });
    for (const name of ["two", "One"]) await anas.make(name, { folderId: top.id });
    await anas.make("in b", { folderId: b.id });
    const page = await open(anas, `?folderId=${top.id}`);
    expect(page.folders.map(({ id, count }: { id: string; count: number }) => [id, count])).toEqual([
      [a.id, 0],
      [b.id, 2],
    ]);
    expect([namesOf(page.items), page.nextCursor, namesOf(page.trail)]).toEqual([["One", "two"], null, [top.path]]);
    expect(page.items[0]).not.toHaveProperty("content");
    expect(await open(bens, `?folderId=${top.id}`)).toEqual(page);
    expect(namesOf((await open(anas, `?folderId=${b.id}`)).trail)).toEqual([top.path, "b"]);
  });

  it("counts no siblings whose names begin with the folder's", async () => {
    const name = free();
    const folder = await anas.makeFolder(name);
    await anas.make("x", { folderId: folder.id });
    for (const sibling of [`${name}-2`, `${name}0`, `${name}.x`]) {
      await anas.make("y", { folderId: (await anas.makeFolder(sibling)).id });
    }
    const { folders } = await open(anas, "?limit=200");
    expect(folders.find(({ id }: { id: string }) => id === folder.id).count).toBe(1);
  });

  it("keeps the two top levels apart, and shows a private one to its owner alone", async () => {
    const [mine, shared] = [free(), free()];
    await anas.make(mine);
    await anas.make(shared, { access: "workspace" });
    expect(namesOf((await open(anas, "?limit=200")).items)).toContain(mine);
    expect(namesOf((await open(anas, "?access=private&limit=200")).items)).not.toContain(shared);
    expect(namesOf((await open(bens, "?access=workspace&limit=200")).items)).toContain(shared);
    expect(namesOf((await open(bens, "?limit=200")).items)).not.toContain(mine);
    expect((await open(strangers, "?access=workspace")).items).toEqual([]);
  });

  it("pages through subfolders and consoles, each once", async () => {
    const top = await anas.makeFolder(free());
    for (const name of ["c", "a", "b"]) await anas.makeFolder(name, { parentId: top.id });
    for (const name of ["3", "1", "2"]) await anas.make(name, { folderId: top.id });
    for (const limit of [1, 2, 3, 4, 6]) {
      const seen: string[] = [];
      let pages = 0;
      for (let cursor: string | null = ""; cursor !== null; pages++) {
        const page = await open(anas, `?folderId=${top.id}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
        seen.push(...namesOf(page.folders), ...namesOf(page.items));
        cursor = page.nextCursor;
      }
      expect([limit, seen, pages]).toEqual([limit, ["a", "b", "c", "1", "2", "3"], Math.ceil(6 / limit)]);
    }
  });

  it("counts up to 100 items per folder, however many there are", async () => {
    const folder = await anas.makeFolder(free());
    const { id } = await anas.make("many", { folderId: folder.id });
    const doc = await collections.consoles().findOne({ _id: new ObjectId(id) });
    if (!doc) throw new Error("It was made.");
    const copies = Array.from({ length: 150 }, (_, n) => ({ ...doc, _id: new ObjectId(), key: `${doc.key}${n}` }));
    await collections.consoles().insertMany(copies);
    const { folders } = await open(anas, "?limit=200");
    expect(folders.find((each: { id: string }) => each.id === folder.id).count).toBe(100);
  });

  it("hides a missing, foreign or private folder, and rejects bad input", async () => {
    const foreign = await strangers.makeFolder(free());
    const hidden = await bens.makeFolder(free());
    const answers = await Promise.all(
      [ABSENT, foreign.id, hidden.id].map((id) => anas.send("GET", `/tree?folderId=${id}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    for (const query of ["folderId=x", "access=all", "cursor=i.", "cursor=i.a", "limit=x"]) {
      expect([query, (await anas.send("GET", `/tree?${query}`)).status]).toEqual([query, 400]);
    }
  });
});
