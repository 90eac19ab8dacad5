import fc from "fast-check";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { authorOf } from "@/test/fixtures/apps/app-author";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import type { Card, Feed } from "./schema";

const own = takeOwnDatabase();
let [ana, ben] = [] as unknown as [Person, Person];
beforeAll(async () => {
  ana = await seedPerson("Ana");
  ben = await seedMember(ana.workspaceId, "member");
});
afterAll(own.drop);

const feed = (person: Person, query: Record<string, string | number> = {}, workspaceId = ana.workspaceId) =>
  call("GET", `/api/workspaces/${workspaceId}/apps/feed?${new URLSearchParams(query as Record<string, string>)}`, {
    cookie: person.cookie,
  });

/** Inserts hundreds of published apps, without files. */
async function seedApps(count: number, more: (n: number) => object = () => ({})): Promise<string[]> {
  const now = Date.now();
  const docs = Array.from({ length: count }, (_, n) => ({
    _id: new ObjectId(),
    workspaceId: new ObjectId(ana.workspaceId),
    space: "workspace",
    slug: `seeded-${new ObjectId().toHexString().slice(-8)}-${n}`,
    title: `App ${n}`,
    description: n % 2 === 0 ? "Told" : "",
    ownerId: new ObjectId(ana.id),
    publishedSha: "a".repeat(40),
    publishedAt: new Date(now - n * 3_600_000),
    createdAt: new Date(now - n * 3_600_000),
    updatedAt: new Date(now - n * 3_600_000),
    views: n % 7,
    heat: n % 7,
    ...more(n),
  }));
  if (docs.length > 0) await collections.apps().insertMany(docs);
  return docs.map(({ _id }) => _id.toHexString());
}

async function fresh(): Promise<void> {
  closeServerMember("appFeedFacts");
  const workspaceId = new ObjectId(ana.workspaceId);
  for (const each of ["apps", "appFeeds", "appViews", "appFavorites"] as const) {
    await collections[each]().deleteMany({ workspaceId } as object);
  }
}

/** Reads all pages from the first one on. */
async function walk(person: Person, limit: number, between: () => Promise<unknown> = async () => {}) {
  const first = (await feed(person, { limit })).json.data as Feed;
  const ids = [...(first.popular ?? []), ...(first.fresh ?? []), ...first.apps].map(({ id }) => id);
  let cursor = first.nextCursor;
  for (let pages = 0; cursor !== null && pages < 1000; pages++) {
    await between();
    const answer = await feed(person, { limit, cursor });
    if (answer.status !== 200) throw new Error(answer.text);
    const page = answer.json.data as Feed;
    expect(Object.keys(page).sort()).toEqual(["apps", "nextCursor"]);
    ids.push(...page.apps.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return { first, ids };
}

describe("the feed", () => {
  it("is empty without apps, and shows unpublished ones to their owner only", async () => {
    await fresh();
    expect((await feed(ana)).json.data).toEqual({ popular: [], fresh: [], apps: [], nextCursor: null });
    const anas = authorOf(ana, ana.workspaceId);
    const app = await anas.make("Mine", { access: "workspace", description: "Words" });
    const { json } = await feed(ana);
    expect(json.data.fresh).toEqual([
      {
        id: app.id,
        slug: app.slug,
        title: "Mine",
        description: "Words",
        access: "workspace",
        owner: { id: ana.id, name: "Ana" },
        thumbnailUrl: null,
        publishedAt: null,
        updatedAt: expect.any(String),
        views: 0,
        favorite: false,
        shared: false,
      },
    ]);
    expect((await feed(ben)).json.data.fresh).toEqual([]);
    await anas.send("POST", `/${app.id}/publish`);
    expect((await feed(ben)).json.data.fresh.map(({ id }: Card) => id)).toEqual([app.id]);
    await anas.send("PUT", `/${app.id}/favorite`);
    expect((await feed(ana)).json.data.fresh[0].favorite).toBe(true);
    expect((await feed(ben)).json.data.fresh[0].favorite).toBe(false);
  });

  it("shows each app once, with any page size", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 1, max: 40 }), async (count, limit) => {
        await fresh();
        const made = await seedApps(count);
        const { first, ids } = await walk(ben, limit);
        expect(ids.length).toBe(new Set(ids).size);
        expect([...ids].sort()).toEqual([...made].sort());
        expect(first.popular?.length).toBeLessThanOrEqual(8);
        expect(first.fresh?.length).toBeLessThanOrEqual(8);
      }),
      { numRuns: 12 },
    );
  });

  it("shows later viewers what was created or shared since", async () => {
    await fresh();
    const made = await seedApps(30);
    await feed(ana);
    const anas = authorOf(ana, ana.workspaceId);
    const app = await anas.make("Later", { access: "workspace" });
    await anas.send("POST", `/${app.id}/publish`);
    const { first, ids } = await walk(ben, 10);
    expect(first.fresh?.[0]?.id).toBe(app.id);
    expect([...ids].sort()).toEqual([...made, app.id].sort());
    await collections.appFeeds().deleteMany({});
    await collections.apps().deleteOne({ _id: new ObjectId(made[0]) });
    expect([...(await walk(ben, 10)).ids].sort()).toEqual([...made.slice(1), app.id].sort());
  });

  it("keeps its order while it is read, with new apps on a new first page", async () => {
    await fresh();
    const made = await seedApps(60);
    const before = (await feed(ben, { limit: 10 })).json.data as Feed;
    const [late] = await seedApps(1, () => ({ updatedAt: new Date(), publishedAt: new Date() }));
    const rest: string[] = [];
    for (let cursor = before.nextCursor; cursor !== null; ) {
      const page = (await feed(ben, { limit: 10, cursor })).json.data as Feed;
      rest.push(...page.apps.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    const seen = [...(before.popular ?? []), ...(before.fresh ?? []), ...before.apps].map(({ id }) => id);
    expect([...seen, ...rest].sort()).toEqual([...made].sort());
    const again = await walk(ben, 10);
    expect(again.first.fresh?.[0]?.id).toBe(late);
    expect([...again.ids].sort()).toEqual([...made, late ?? ""].sort());
    expect(again.ids.filter((id) => rest.includes(id))).toEqual(expect.arrayContaining(rest.slice(0, 20)));
  });

  it("omits apps from later pages that are no longer visible (T99)", async () => {
    await fresh();
    await seedApps(50);
    let hidden = "";
    const first = (await feed(ben, { limit: 5 })).json.data as Feed;
    const next = (await feed(ben, { limit: 5, cursor: first.nextCursor ?? "" })).json.data as Feed;
    hidden = next.apps[2]?.id ?? "";
    await collections.apps().updateOne({ _id: new ObjectId(hidden) }, { $set: { space: ana.id } });
    const again = (await feed(ben, { limit: 5, cursor: first.nextCursor ?? "" })).json.data as Feed;
    expect(again.apps.map(({ id }) => id)).not.toContain(hidden);
    expect(again.apps).toHaveLength(5);
  });

  it("accepts a cursor from its viewer only, in its workspace, unchanged and in time (T99)", async () => {
    await fresh();
    await seedApps(50);
    const { nextCursor } = (await feed(ben, { limit: 5 })).json.data as { nextCursor: string };
    for (let at = 0; at < nextCursor.length; at++) {
      const cursor = nextCursor.slice(0, at) + (nextCursor[at] === "A" ? "B" : "A") + nextCursor.slice(at + 1);
      expect((await feed(ben, { cursor })).status, cursor).toBe(400);
    }
    expect((await feed(ana, { cursor: nextCursor })).status).toBe(400);
    expect((await feed(ben, { cursor: nextCursor }, ben.workspaceId)).status).toBe(200);
    const elsewhere = await call("POST", "/api/workspaces", { cookie: ben.cookie, body: { name: "Other" } });
    expect((await feed(ben, { cursor: nextCursor }, elsewhere.json.data.id)).status).toBe(400);
    for (const [limit, status] of [
      ["0", 200],
      ["101", 200],
      ["a", 400],
      ["1.5", 400],
      ["-3", 200],
    ] as const) {
      expect((await feed(ben, { limit })).status, limit).toBe(status);
    }
    await collections.appFeeds().updateMany({ userId: new ObjectId(ben.id) }, { $set: { expiresAt: new Date(0) } });
    expect(await feed(ben, { cursor: nextCursor })).toMatchObject({ status: 410, json: { code: "gone" } });
    expect((await feed(ben)).status).toBe(200);
  });

  it("counts a viewer once an hour, in one document", async () => {
    await fresh();
    const anas = authorOf(ana, ana.workspaceId);
    const app = await anas.make("Viewed", { access: "workspace" });
    await anas.send("POST", `/${app.id}/publish`);
    const bens = authorOf(ben, ana.workspaceId);
    for (let n = 0; n < 5; n++) await bens.send("POST", `/${app.id}/view-token`);
    const place = { appId: new ObjectId(app.id), userId: new ObjectId(ben.id) };
    await expect.poll(() => collections.appViews().countDocuments(place)).toBe(1);
    await expect.poll(async () => (await collections.apps().findOne({ _id: place.appId }))?.views).toBe(1);
    await collections.appViews().updateOne(place, { $set: { lastAt: new Date(Date.now() - 2 * 3_600_000) } });
    await bens.send("POST", `/${app.id}/view-token`);
    await expect.poll(async () => (await collections.appViews().findOne(place))?.count).toBe(2);
    expect((await feed(ben)).json.data.popular[0]).toMatchObject({ id: app.id, views: 2 });
  });
});
