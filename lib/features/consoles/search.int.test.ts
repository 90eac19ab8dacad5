import { type CommandStartedEvent, type Document, ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { withKeys } from "@/lib/features/folders/apply-writes";
import type { ItemDoc } from "@/lib/features/folders/model";
import { collections } from "@/lib/features/instance/collections";
import { SCHEMA_MIGRATIONS } from "@/lib/features/instance/schema-migrations";
import { database, mongoClient } from "@/lib/platform/db/client";
import { takeOwnDatabase } from "@/test/database";
import { authorOf, type ConsoleAuthor } from "@/test/fixtures/consoles/console-author";
import { STAND_IN } from "@/test/fixtures/embedded/mongo/start";
import { takeOwnStore } from "@/test/fixtures/own-store";
import { type Person, seedMember, seedPerson } from "@/test/seed";

/** More consoles than a search compares for a word, and than the latest saves that it searches whole. */
const MANY = 700;

// The product's store has no `explain`; the stand-in adds it to the same planner.
const store = await takeOwnStore(STAND_IN);
const uri = new URL(process.env.MONGODB_URI ?? "");
uri.searchParams.set("monitorCommands", "true");
process.env.MONGODB_URI = uri.toString();
const own = takeOwnDatabase();
let [anas, bens] = [] as unknown as [ConsoleAuthor, ConsoleAuthor];
let ana: Person;
beforeAll(async () => {
  ana = await seedPerson("Ana");
  anas = authorOf(ana, ana.workspaceId);
  bens = authorOf(await seedMember(ana.workspaceId, "member"), ana.workspaceId);
  const { id } = await anas.make("filler", { content: "select common from words", access: "workspace" });
  const doc = await collections.consoles().findOne({ _id: new ObjectId(id) });
  if (!doc) throw new Error("It was made.");
  await collections.consoles().insertMany(
    Array.from({ length: MANY }, (_, n) => {
      const half = n % 2 ? "odd" : "even";
      const [name, content] = [`filler ${n} ${half}name`, `select common ${half} from words -- ordinal${n}`];
      const copy = { ...doc, _id: new ObjectId(), name, path: name, key: name, content };
      // Saved after all others, so that those are not among the latest saves.
      return { ...withKeys(CONSOLES, copy as ItemDoc), updatedAt: new Date(Date.now() + 3_600_000 + n) } as typeof doc;
    }),
  );
});
afterAll(async () => {
  await own.drop();
  await store.close();
});

const search = async (author: ConsoleAuthor, q: string): Promise<string[]> =>
  (await author.send("GET", `/search?${new URLSearchParams({ q })}`)).json.data.map(({ path }: ItemDoc) => path);

describe("a search among many consoles", () => {
  it("finds words of texts and descriptions by their beginnings, for those who can see them", async () => {
    await anas.make("own", { content: "select common from kestrel_daily" });
    await anas.make("shared", { content: "select 1", description: "Kestrels, common", access: "workspace" });
    expect((await search(anas, "KESTREL")).sort()).toEqual(["own", "shared"]);
    expect((await search(anas, "common kest")).sort()).toEqual(["own", "shared"]);
    expect(await search(anas, "kestrel_d")).toEqual(["own"]);
    expect(await search(anas, "kestrel absent")).toEqual([]);
    expect(await search(bens, "kestrel")).toEqual(["shared"]);
    expect(await search(anas, "common")).toHaveLength(50);
    expect(await search(anas, `ordinal${MANY - 1} dinal`)).toEqual([`filler ${MANY - 1} oddname`]);
  });

  it("finds an old console by words that are common and together nowhere else", async () => {
    await anas.make("both", { content: "select odd, even", access: "workspace" });
    await bens.make("bens own", { content: "select odd, even" });
    await anas.make("even filler", { content: "select odd", access: "workspace" });
    expect((await search(anas, "even odd")).sort()).toEqual(["both", "even filler"]);
    expect((await search(bens, "ODD even")).sort()).toEqual(["bens own", "both", "even filler"]);
    const { id } = await anas.make("evenname oddname", { content: "select 1" });
    expect(await search(anas, "oddname evenn")).toEqual(["evenname oddname"]);
    const lookedUp = await anas.send("GET", `/lookup?${new URLSearchParams({ q: "oddname evenname" })}`);
    expect(lookedUp.json.data.map((item: { id: string }) => item.id)).toEqual([id]);
    // The names come first, then the latest saves.
    const [first, ...rest] = await search(anas, "odd filler");
    expect([first, rest[0], rest.length]).toEqual([`filler ${MANY - 1} oddname`, `filler ${MANY - 3} oddname`, 49]);
  });

  it("marks a search that ended before it has compared all consoles", async () => {
    const send = () => anas.send("GET", `/search?${new URLSearchParams({ q: "common" })}`);
    const isMarked = async () => (await send()).headers.get("x-search-incomplete");
    expect(await isMarked()).toBeNull();
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => {
      now += 1500;
      return now;
    });
    try {
      expect(await isMarked()).toBe("true");
    } finally {
      clock.mockRestore();
    }
  });

  it.each([
    ["accents", "select café", ["café", "CAFÉ", "cafe\u0301"]],
    ["combining marks", "select cafe\u0301s", ["cafe\u0301s", "cafés"]],
    ["Chinese", "select 売上高 from 注文", ["売上", "売上高 注文", "注"]],
    ["Korean", "select 매출액", ["매출", "매출액"]],
    ["a dotted capital I", "select İstanbul, ısı", ["İstanbul", "ısı"]],
    ["emoji", "select '🚀 launchpad'", ["🚀 launchpad", "launch 🚀"]],
    ["one letter beside a word", "select zq.x from zqtable", ["x zqtable", "zqt q"]],
    ["300 letters", `select ${"y".repeat(300)}`, ["y".repeat(200), "y".repeat(40), `${"y".repeat(190)} select`]],
    ["snake_case", "select kudu_order_id", ["kudu_order_id", "order_id kudu", "kudu_ord"]],
    ["camelCase", "select gnuOrderId", ["gnuOrderId", "gnuorder", "GNUORDERID"]],
    ["numbers", "select 73219.25, 1e5", ["73219.25", "73219", "73219 1e5"]],
    ["quoted names", 'select "Zebu Lines"."Zebu Id"', ['"Zebu Lines"', 'lines"."zebu']],
    ["a pattern", "select 'okapi.*(x|y)$^'", ["okapi.*(x|y)$^", ".*( okapi"]],
  ])("finds texts with %s", async (name, content, queries) => {
    const { id } = await anas.make(`text of ${name.replace(/\W/g, "")}`, { content });
    // Saved before all others, so that only its words find it.
    const _id = new ObjectId(id);
    await collections.consoles().updateOne({ _id }, { $set: { updatedAt: new Date(0) } });
    const found = await Promise.all(queries.map((q) => search(anas, q)));
    expect(queries.filter((_, at) => found[at]?.length !== 1)).toEqual([]);
    expect((await search(bens, queries[0] as string)).length).toBe(0);
    await anas.send("DELETE", `/${id}`);
  });

  it("follows a save, a change of the description alone, a rename, a change of access and a deletion", async () => {
    const { id } = await anas.make("follows", { content: "select heron", description: "plover" });
    await anas.save(id, { version: 1, content: "select stork" });
    expect([await search(anas, "heron"), await search(anas, "stork plover")]).toEqual([[], ["follows"]]);
    await anas.save(id, { version: 2, description: "dunlin" });
    expect([await search(anas, "plover"), await search(anas, "stork dunlin")]).toEqual([[], ["follows"]]);
    await anas.save(id, { version: 3, name: "moved" });
    expect(await search(anas, "stork dunlin")).toEqual(["moved"]);
    expect(await search(bens, "stork")).toEqual([]);
    await anas.save(id, { version: 4, access: "workspace" });
    expect(await search(bens, "stork")).toEqual(["moved"]);
    await anas.send("DELETE", `/${id}`);
    expect(await search(anas, "stork")).toEqual([]);
    await anas.send("POST", `/${id}/restore`);
    expect(await search(anas, "stork dunlin")).toEqual(["moved"]);
  });

  it("reads a bounded number of index entries, by the index of the words", async () => {
    for (const q of ["common", "ordinal7", "absent", "absent common words", "dinal7", "oddname", "even -- common"]) {
      const finds: Document[] = [];
      const note = ({ commandName, command }: CommandStartedEvent) => {
        if (commandName === "find" && command.find === "consoles") finds.push(command);
      };
      mongoClient().on("commandStarted", note);
      await search(anas, q);
      mongoClient().off("commandStarted", note);
      for (const { lsid: _, $db: __, $clusterTime: ___, ...command } of finds) {
        const explained = await database().command({ explain: command, verbosity: "executionStats" });
        // 300 for the rarest word, 100 for each of five keys, and 200 latest saves.
        expect([q, explained.executionStats.totalKeysExamined <= 1_000]).toEqual([q, true]);
        const plan = JSON.stringify(explained.queryPlanner.winningPlan);
        expect([q, plan.includes("COLLSCAN")]).toEqual([q, false]);
        if (command.filter.textKeys) expect([q, plan.includes("textKeys")]).toEqual([q, true]);
      }
      expect([q, finds.some(({ filter }) => filter.textKeys)]).toEqual([q, true]);
      const compared = finds.filter(({ filter }) => filter._id && filter.$and);
      expect([q, compared.every(({ filter }) => filter._id.$in.length <= 20)]).toEqual([q, true]);
    }
  });

  it("compares each word once, and none that is part of another", async () => {
    const parts = new Set<number>();
    const note = ({ commandName, command }: CommandStartedEvent) => {
      if (commandName === "find" && command.filter._id && command.filter.$and) parts.add(command.filter.$and.length);
    };
    mongoClient().on("commandStarted", note);
    expect(await search(anas, "odd oddn oddname odd filler ordinal")).toHaveLength(50);
    mongoClient().off("commandStarted", note);
    expect([...parts]).toEqual([3]);
  });

  it("finds consoles of earlier versions once they are migrated", async () => {
    const { id } = await anas.make("old", { content: "select wigeon", description: "gadwall" });
    const _id = new ObjectId(id);
    await collections.consoles().updateOne({ _id }, { $unset: { textKeys: true } });
    expect(await search(anas, "wigeon")).toEqual([]);
    for (let times = 0; times < 2; times++) await SCHEMA_MIGRATIONS[5]?.run(new AbortController().signal);
    expect(await search(anas, "wigeon gadwall")).toEqual(["old"]);
  });
});
