import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { SCHEMA_MIGRATIONS } from "@/lib/features/instance/schema-migrations";
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

type Found = { id: string; name: string; path: string };
const look = async (author: ConsoleAuthor, query: Record<string, string>): Promise<Found[]> =>
  (await author.send("GET", `/lookup?${new URLSearchParams(query)}`)).json.data;
const pathsOf = async (author: ConsoleAuthor, q: string) => (await look(author, { q })).map(({ path }) => path);

describe("a look-up of consoles", () => {
  it("finds words of name and folders by their beginnings, best first", async () => {
    const folder = await anas.makeFolder("Otter reports", { access: "workspace" });
    await anas.make("week", { folderId: folder.id });
    const access = "workspace";
    for (const name of ["Ótter", "otter by day", "all otters", "sea-otter", "seaotter"])
      await anas.make(name, { access });
    const paths = ["Ótter", "otter by day", "sea-otter", "all otters", "Otter reports/week", "seaotter"];
    expect(await pathsOf(anas, "OTTER")).toEqual(paths);
    expect(await pathsOf(bens, "OTTER")).toEqual(paths);
    expect(await pathsOf(anas, "otter rep week")).toEqual(["Otter reports/week"]);
    expect(await pathsOf(anas, "otter x")).toEqual([]);
    expect(await pathsOf(strangers, "otter")).toEqual([]);
  });

  it("follows a rename, a move of the folder and a deletion", async () => {
    const folder = await anas.makeFolder("Heron");
    const { id } = await anas.make("plumage", { folderId: folder.id });
    await anas.save(id, { version: 1, name: "feathers" });
    expect([await pathsOf(anas, "plumage"), await pathsOf(anas, "feather")]).toEqual([[], ["Heron/feathers"]]);
    await anas.send("PATCH", `/folders/${folder.id}`, { name: "Stork" });
    expect([await pathsOf(anas, "heron"), await pathsOf(anas, "stork")]).toEqual([[], ["Stork/feathers"]]);
    await anas.send("DELETE", `/${id}`);
    expect(await pathsOf(anas, "feathers")).toEqual([]);
    await anas.send("POST", `/${id}/restore`);
    expect(await pathsOf(anas, "feathers")).toEqual(["Stork/feathers"]);
  });

  it("returns those with the given ids that the caller can see, and without a search those saved last", async () => {
    const mine = await anas.make("lynx 1");
    const shared = await anas.make("lynx 2", { access: "workspace" });
    const foreign = await strangers.make("lynx 3", { access: "workspace" });
    const ids = [mine.id, shared.id, foreign.id, "f".repeat(24)].join();
    const idsFor = async (author: ConsoleAuthor) => (await look(author, { ids })).map(({ id }) => id);
    expect(await idsFor(anas)).toEqual([shared.id, mine.id]);
    expect(await idsFor(bens)).toEqual([shared.id]);
    expect((await look(anas, {}))[0]).toMatchObject({ id: shared.id });
    expect((await look(anas, {}))[0]).not.toHaveProperty("content");
  });

  it("finds a rare word among many consoles, and at most 50", async () => {
    const { id } = await anas.make("ibex common");
    const doc = await collections.consoles().findOne({ _id: new ObjectId(id) });
    if (!doc) throw new Error("It was made.");
    const searchKeys = doc.searchKeys?.filter((key) => key.startsWith("c"));
    await collections.consoles().insertMany(
      Array.from({ length: 1000 }, (_, n) => {
        const name = `common ${n}`;
        return { ...doc, _id: new ObjectId(), name, path: name, key: name, searchKeys, updatedAt: new Date() };
      }),
    );
    expect(await pathsOf(anas, "common ib")).toEqual(["ibex common"]);
    expect(await look(anas, { q: "comm" })).toHaveLength(50);
  });

  it("finds consoles of earlier versions once they are migrated", async () => {
    const { id } = await anas.make("yak 1");
    const _id = new ObjectId(id);
    await collections.consoles().updateOne({ _id }, { $unset: { searchKeys: true }, $set: { updatedAt: new Date(0) } });
    for (let times = 0; times < 2; times++) await SCHEMA_MIGRATIONS[4]?.run(new AbortController().signal);
    expect((await collections.consoles().findOne({ _id }))?.searchKeys).toContain("yak");
    expect(await pathsOf(anas, "yak")).toEqual(["yak 1"]);
  });

  it("rejects bad input, and finds nothing without letters or digits", async () => {
    for (const query of ["q=", "q=%00", `q=${"x".repeat(201)}`, "ids=", "ids=x", `ids=${"f".repeat(24)},`, "limit=x"]) {
      expect([query, (await anas.send("GET", `/lookup?${query}`)).status]).toEqual([query, 400]);
    }
    expect(await pathsOf(anas, ".*")).toEqual([]);
  });
});
