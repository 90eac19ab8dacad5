import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type AppAuthor, authorOf } from "@/test/fixtures/apps/app-author";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import type { Card, Overview } from "./schema";

const own = takeOwnDatabase();
let [ana, ben, stranger] = [] as unknown as [Person, Person, Person];
let [anas, bens] = [] as unknown as [AppAuthor, AppAuthor];
beforeAll(async () => {
  [ana, stranger] = [await seedPerson("Ana"), await seedPerson("Stranger")];
  ben = await seedMember(ana.workspaceId, "member");
  [anas, bens] = [authorOf(ana, ana.workspaceId), authorOf(ben, ana.workspaceId)];
});
afterAll(own.drop);

const SHARED = { access: "workspace" };
const ask = (cookie: string | undefined, workspaceId = ana.workspaceId) =>
  call("GET", `/api/workspaces/${workspaceId}/apps-v2/overview`, cookie === undefined ? {} : { cookie });
const overview = async (person: Person): Promise<Overview> => (await ask(person.cookie)).json.data;
const NONE = { mine: 0, favorites: 0, shared: 0, bench: [] };

describe("the overview of apps", () => {
  it("counts visible apps by section, and lists recent work with uncommitted changes", async () => {
    expect(await overview(ana)).toEqual(NONE);
    const [open, hidden] = [await anas.make("Open", SHARED), await anas.make("Hidden")];
    await anas.send("POST", `/${open.id}/publish`);
    for (const app of [open, hidden]) {
      await anas.send("PUT", `/${app.id}/share`, { enabled: true });
      await anas.send("PUT", `/${app.id}/favorite`);
      await anas.write(app, "a.md", "a");
    }
    await anas.write(hidden, "b.md", "b");
    await bens.write(open, "c.md", "c");
    await bens.commit(open);
    expect(await overview(ana)).toEqual({
      mine: 2,
      favorites: 2,
      shared: 2,
      bench: [
        { id: hidden.id, slug: hidden.slug, title: "Hidden", changes: 2 },
        { id: open.id, slug: open.slug, title: "Open", changes: 1 },
      ],
    });
    expect(await overview(ben)).toEqual({
      mine: 0,
      favorites: 0,
      shared: 1,
      bench: [{ id: open.id, slug: open.slug, title: "Open", changes: 0 }],
    });
  });

  it("has nothing of an app that has become another member's private one", async () => {
    const app = await anas.make("For a while", SHARED);
    await anas.send("POST", `/${app.id}/publish`);
    await anas.send("PUT", `/${app.id}/share`, { enabled: true });
    await bens.send("PUT", `/${app.id}/favorite`);
    await bens.write(app, "d.md", "d");
    const before = await overview(ben);
    expect(before.bench[0]).toMatchObject({ id: app.id, changes: 1 });
    await anas.send("PATCH", `/${app.id}`, { access: "private" });
    const after = await overview(ben);
    expect(JSON.stringify(after)).not.toContain(app.id);
    expect([after.favorites, after.shared]).toEqual([before.favorites - 1, before.shared - 1]);
  });

  it("counts an active link only, as the feed's cards do", async () => {
    const app = await anas.make("Linked", SHARED);
    await anas.send("POST", `/${app.id}/publish`);
    const { shared: before } = await overview(ana);
    const isTold = async () => {
      const { popular, fresh, apps } = (await anas.send("GET", "/feed")).json.data;
      return [...popular, ...fresh, ...apps].find(({ id }: Card) => id === app.id).shared;
    };
    expect(await isTold()).toBe(false);
    await anas.send("PUT", `/${app.id}/share`, { enabled: true });
    expect([(await overview(ana)).shared, await isTold()]).toEqual([before + 1, true]);
    await collections.shares().updateOne({ resourceId: new ObjectId(app.id) }, { $set: { expiresAt: new Date(0) } });
    expect([(await overview(ana)).shared, await isTold()]).toEqual([before, false]);
  });

  it("requires credentials for its own workspace", async () => {
    expect((await ask(undefined)).status).toBe(401);
    expect((await ask(stranger.cookie)).status).toBe((await ask(stranger.cookie, "f".repeat(24))).status);
    expect((await ask(stranger.cookie, stranger.workspaceId)).json.data).toEqual(NONE);
  });

  it("lists the 20 most recent of any number", async () => {
    const [workspaceId, userId] = [new ObjectId(ana.workspaceId), new ObjectId(ana.id)];
    const at = (n: number) => new Date(Date.now() + n * 1000);
    const apps = Array.from({ length: 150 }, (_, n) => ({
      ...{ _id: new ObjectId(), workspaceId, space: "workspace", slug: `many-${n}`, title: `Many ${n}` },
      ...{ description: "", ownerId: userId, publishedSha: null, publishedAt: null },
      ...{ createdAt: at(n), updatedAt: at(n) },
    }));
    await collections.apps().insertMany(apps);
    await collections.appWorkbenches().insertMany(
      apps.map(({ _id: appId, updatedAt }) => ({
        ...{ _id: new ObjectId(), workspaceId, appId, userId, version: 1, updatedAt },
        drafts: [{ path: "a", baseOid: null, kind: "delete" as const }],
      })),
    );
    const { mine, bench } = await overview(ana);
    expect(mine).toBeGreaterThanOrEqual(150);
    expect(bench.map(({ title }) => title)).toEqual(Array.from({ length: 20 }, (_, n) => `Many ${149 - n}`));
    expect(bench.every(({ changes }) => changes === 1)).toBe(true);
  });
});
