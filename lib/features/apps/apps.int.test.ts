import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { findBranch, listTree } from "@/lib/features/repository/service";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type AppAuthor, authorOf } from "@/test/fixtures/apps/app-author";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
let [ana, ben, stranger] = [] as unknown as [Person, Person, Person];
let [anas, bens, strangers] = [] as unknown as [AppAuthor, AppAuthor, AppAuthor];
beforeAll(async () => {
  [ana, stranger] = [await seedPerson("Ana"), await seedPerson("Stranger")];
  ben = await seedMember(ana.workspaceId, "member");
  anas = authorOf(ana, ana.workspaceId);
  bens = authorOf(ben, ana.workspaceId);
  strangers = authorOf(stranger, stranger.workspaceId);
});
afterAll(own.drop);

const free = () => `Sales ${randomBytes(4).toString("hex")}`;
const SHARED = { access: "workspace" };
const BLANK = ["index.html", "style.css"];
const pathsOn = async (repositoryId: string, path: string, ref = "main") =>
  (await listTree({ repositoryId: new ObjectId(repositoryId), path, recursive: true, ref })).map((item) => item.path);

describe("an app", () => {
  it("is created from the blank page, private, and found by ID and slug", async () => {
    const title = free();
    const { status, json } = await anas.send("POST", "", { title: ` ${title} `, description: "How it goes" });
    expect(status).toBe(201);
    expect(json.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      slug: title.toLowerCase().replace(" ", "-"),
      title,
      description: "How it goes",
      access: "private",
      ownerId: ana.id,
      branch: `user/${ana.id}`,
      publishedSha: null,
      publishedAt: null,
      thumbnail: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await anas.send("GET", `/${json.data.id}`)).json.data).toEqual(json.data);
    expect((await anas.send("GET", `/${json.data.slug}`)).json.data).toEqual(json.data);
    expect((await anas.tree(json.data)).map(({ path }) => path)).toEqual(BLANK);
    const page = (await anas.read(json.data, "index.html")).json.data;
    expect(page).toMatchObject({ encoding: "utf8", draft: null });
    expect(page.content).toContain(`<h1>${title}</h1>`);
  });

  it("lists the templates with their files", async () => {
    const { json } = await anas.send("GET", "/templates");
    expect(json.data).toContainEqual({
      name: "blank",
      title: "Blank page",
      description: expect.any(String),
      files: BLANK,
      thumbnail: expect.stringMatching(/^data:image\/png;base64,iVBOR/),
    });
    expect(json.data.map(({ name }: { name: string }) => name)).toEqual(["blank", "metrics", "table", "report"]);
    const project = [".gitignore", "millrace-app.d.ts", "package.json", "tsconfig.json"];
    for (const { name, files } of json.data) {
      expect(files.filter((path: string) => project.includes(path)).sort(), name).toEqual(
        name === "blank" ? [] : project,
      );
    }
    for (const { thumbnail } of json.data) expect(thumbnail.length).toBeLessThan((60 * 1024 * 4) / 3);
  });

  it.each([
    ["no title", {}],
    ["a blank title", { title: "  " }],
    ["a title that is too long", { title: "x".repeat(201) }],
    ["an unknown template", { title: "A", template: "none" }],
    ["an unknown access", { title: "A", access: "public" }],
  ])("is rejected with %s", async (_, body) => {
    const { status, json } = await anas.send("POST", "", body);
    expect([status, json.code]).toEqual([400, "invalid_request"]);
  });

  it("gets a unique slug from any title", async () => {
    const slugs = await Promise.all(
      ["Größe & Maß!", "Größe & Maß!", "日本", "HR", "templates", "f".repeat(24)].map(
        async (title) => (await anas.make(title, SHARED)).slug,
      ),
    );
    expect(new Set(slugs).size).toBe(slugs.length);
    for (const slug of slugs) {
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect((await bens.send("GET", `/${slug}`)).json.data.slug).toBe(slug);
    }
    expect(slugs.slice(2)).toEqual(["app", "app-hr", "app-templates", `app-${"f".repeat(24)}`]);
  });

  it("keeps its slug with a new title, and reveals nothing of others' private ones", async () => {
    const app = await anas.make(free());
    const { json } = await anas.send("PATCH", `/${app.id}`, { title: "Another", description: "New" });
    expect(json.data).toMatchObject({ slug: app.slug, title: "Another", description: "New" });
    const missing = await bens.send("GET", `/${"f".repeat(24)}`);
    for (const ref of [app.id, app.slug]) {
      for (const method of ["GET", "DELETE"]) {
        const answer = await bens.send(method, `/${ref}`);
        expect([answer.status, answer.text]).toEqual([404, missing.text]);
      }
      expect((await bens.send("GET", `/${ref}/files`)).text).toBe(missing.text);
      expect((await strangers.send("GET", `/${ref}`)).text).toBe(missing.text);
    }
    expect((await anas.send("PATCH", `/${app.id}`, {})).status).toBe(400);
  });

  it("is on main when shared, and in no branch of the workspace's repository while private", async () => {
    const [shared, hidden] = [await anas.make(free(), SHARED), await anas.make(free())];
    await anas.write(hidden, "secret.md", "hush");
    await anas.commit(hidden);
    expect(await pathsOn(ana.workspaceId, `apps/${shared.slug}`)).toHaveLength(BLANK.length);
    const branches = ["main", `user/${ana.id}`];
    for (const ref of branches) {
      if ((await findBranch(new ObjectId(ana.workspaceId), ref)) === null) continue;
      expect((await pathsOn(ana.workspaceId, "", ref)).filter((path) => path.includes(hidden.slug))).toEqual([]);
    }
  });

  it("moves its files and unpublished commits when shared, and leaves nothing when made private", async () => {
    const app = await anas.make(free());
    await anas.write(app, "a.ts", "committed");
    await anas.commit(app);
    await anas.write(app, "b.ts", "draft");
    const shared = (await anas.send("PATCH", `/${app.id}`, SHARED)).json.data;
    expect(shared).toMatchObject({ access: "workspace", slug: app.slug });
    expect((await anas.tree(shared)).map(({ path, draft }) => [path, draft])).toEqual([
      ["a.ts", null],
      ["b.ts", "added"],
      ["index.html", null],
      ["style.css", null],
    ]);
    expect((await bens.tree(shared)).map(({ path }) => path)).toEqual(BLANK);
    expect(await anas.status(shared)).toMatchObject({ ahead: 1, changes: [{ path: "a.ts", status: "added" }] });

    expect((await bens.send("PATCH", `/${app.id}`, { access: "private" })).status).toBe(403);
    const answer = await anas.send("PATCH", `/${app.id}`, { access: "private" });
    expect([answer.status, answer.json.error]).toEqual([200, undefined]);
    const back = answer.json.data;
    expect(back.access).toBe("private");
    expect((await bens.send("GET", `/${app.id}`)).status).toBe(404);
    expect((await anas.tree(back)).map(({ path }) => path)).toEqual(["a.ts", "b.ts", ...BLANK]);
    expect((await pathsOn(ana.workspaceId, "")).filter((path) => path.startsWith(`apps/${app.slug}/`))).toEqual([]);
    expect(await collections.appRemovals().countDocuments()).toBe(0);
  });

  it("is deleted by its owner or an admin, with its folder on main and all drafts, once", async () => {
    const app = await anas.make(free(), SHARED);
    await bens.write(app, "draft.ts", "x");
    expect((await bens.send("DELETE", `/${app.id}`)).status).toBe(403);
    const answers = await Promise.all([anas.send("DELETE", `/${app.id}`), anas.send("DELETE", `/${app.id}`)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await anas.send("GET", `/${app.id}`)).status).toBe(404);
    expect((await pathsOn(ana.workspaceId, "")).filter((path) => path.startsWith(`apps/${app.slug}/`))).toEqual([]);
    expect(await collections.appWorkbenches().countDocuments({ appId: new ObjectId(app.id) })).toBe(0);
    // A user may still have its old files on their branch; they must not turn up in another app.
    expect((await anas.make(app.title, SHARED)).slug).not.toBe(app.slug);
  });

  it("is protected without credentials, and read-only with a read-only key", async () => {
    const app = await anas.make(free());
    const url = `/api/workspaces/${ana.workspaceId}/apps/${app.id}`;
    expect((await call("GET", url)).status).toBe(401);
    const key = await seedKey(ana.workspaceId, ana, "read");
    expect((await call("GET", `${url}/files`, { key })).status).toBe(200);
    expect((await call("PUT", `${url}/files?path=a`, { key, body: { content: "" } })).status).toBe(403);
  });

  it("is deleted with its workspace", async () => {
    const person = await seedPerson("Leaver");
    const author = authorOf(person, person.workspaceId);
    const app = await author.make(free());
    await author.write(app, "a.ts", "1");
    await call("DELETE", `/api/workspaces/${person.workspaceId}`, { cookie: person.cookie });
    const workspaceId = new ObjectId(person.workspaceId);
    const { apps, appSlugs, appRemovals, appWorkbenches, appDraftParts } = collections;
    for (const each of [apps, appSlugs, appRemovals, appWorkbenches, appDraftParts]) {
      expect(await each().countDocuments({ workspaceId })).toBe(0);
    }
  });
});
