import { randomBytes } from "node:crypto";
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

const free = (stem = "f") => `${stem}-${randomBytes(5).toString("hex")}`;
const ABSENT = "f".repeat(24);

async function chain(depth: number, more?: Record<string, unknown>): Promise<{ id: string; path: string }[]> {
  const folders: { id: string; path: string }[] = [];
  for (let level = 0; level < depth; level++) {
    folders.push(await anas.makeFolder(free(), { ...more, parentId: folders.at(-1)?.id ?? null }));
  }
  return folders;
}

describe("a folder of consoles", () => {
  it("is private unless shared, and listed", async () => {
    const name = free();
    const answer = await anas.send("POST", "/folders", { name });
    expect([answer.status, answer.json.data]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        name,
        path: name,
        parentId: null,
        access: "private",
        ownerId: ana.id,
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: answer.json.data.createdAt,
      },
    ]);
    const { id } = answer.json.data;
    const listed = async (author: ConsoleAuthor) =>
      (await author.send("GET", "/folders?limit=200")).json.data.filter((each: { id: string }) => each.id === id);
    expect(await listed(anas)).toEqual([answer.json.data]);
    expect(await listed(bens)).toEqual([]);
    for (const [method, body] of [["PATCH", { name: "x" }], ["DELETE"]] as const) {
      const hidden = await bens.send(method, `/folders/${id}`, body);
      expect([hidden.status, hidden.text]).toEqual([404, (await bens.send(method, `/folders/${ABSENT}`, body)).text]);
    }
    expect((await anas.send("PATCH", `/folders/${id}`, { access: "workspace" })).json.data.access).toBe("workspace");
    expect(await listed(bens)).toHaveLength(1);
  });

  it("is renamed or moved with its consoles in one commit, keeping histories and versions", async () => {
    const [top, inner] = await chain(2, { access: "workspace" });
    if (!top || !inner) throw new Error("Two were made.");
    const a = await anas.make("a", { folderId: top.id });
    const b = await anas.make("b", { folderId: inner.id });
    expect(a).toMatchObject({ access: "workspace", path: `${top.path}/a` });
    const target = await anas.makeFolder(free(), { access: "workspace" });
    const name = free("renamed");
    const moved = await anas.send("PATCH", `/folders/${top.id}`, { name, parentId: target.id });
    expect(moved.json.data).toMatchObject({ path: `${target.path}/${name}`, parentId: target.id });
    const innerName = inner.path.split("/").at(-1);
    const path = `${target.path}/${name}/${innerName}/b`;
    expect((await bens.send("GET", `/${b.id}`)).json.data).toMatchObject({ path, version: 1 });
    const subject = `Move the folder ${top.path} to ${target.path}/${name}`;
    expect((await anas.story(b.id))[0]).toBe(`renamed consoles/${path}.sql: ${subject}`);
    const newest = async (id: string) => (await anas.send("GET", `/${id}/git/history`)).json.data.items[0].sha;
    expect(await newest(a.id)).toBe(await newest(b.id));
    expect((await bens.save(b.id, { version: 1, content: "on" })).status).toBe(200);
  });

  it("changes the case of its name", async () => {
    const name = free("case");
    const folder = await anas.makeFolder(name);
    const { id } = await anas.make("x", { folderId: folder.id });
    expect((await anas.send("PATCH", `/folders/${folder.id}`, { name: name.toUpperCase() })).status).toBe(200);
    expect((await anas.send("GET", `/${id}`)).json.data.path).toBe(`${name.toUpperCase()}/x`);
    expect((await anas.story(id))[0]).toContain(`renamed consoles/${name.toUpperCase()}/x.sql`);
  });

  it("is shared with its contents, and made private only by an owner of everything in it", async () => {
    const [top, inner] = await chain(2);
    if (!top || !inner) throw new Error("Two were made.");
    const { id } = await anas.make("x", { folderId: inner.id });
    expect((await bens.send("GET", `/${id}`)).status).toBe(404);
    await anas.send("PATCH", `/folders/${top.id}`, { access: "workspace" });
    expect((await bens.send("GET", `/${id}`)).json.data).toMatchObject({
      access: "workspace",
      path: `${inner.path}/x`,
    });
    expect((await bens.send("PATCH", `/folders/${top.id}`, { access: "private" })).status).toBe(403);
    const bensOwn = await bens.make("y", { folderId: inner.id });
    expect((await anas.send("PATCH", `/folders/${top.id}`, { access: "private" })).status).toBe(403);
    await bens.send("DELETE", `/${bensOwn.id}`);
    expect((await anas.send("PATCH", `/folders/${top.id}`, { access: "private" })).status).toBe(200);
    expect((await bens.send("GET", `/${id}`)).status).toBe(404);
    expect((await anas.send("GET", `/${id}`)).json.data.version).toBe(1);
  });

  it("that is shared accepts a private console only with the access set", async () => {
    const shared = await anas.makeFolder(free(), { access: "workspace" });
    const saved = await anas.make(free());
    const silent = await anas.save(saved.id, { version: 1, folderId: shared.id });
    expect([silent.status, silent.json.details[0].path]).toEqual([400, "access"]);
    expect(
      (await anas.send("POST", "", { name: free(), content: "", folderId: shared.id, access: "private" })).status,
    ).toBe(400);
    const told = await anas.save(saved.id, { version: 1, folderId: shared.id, access: "workspace" });
    expect(told.json.data).toMatchObject({ access: "workspace", path: `${shared.path}/${saved.name}` });
    const back = await anas.save(saved.id, { version: 2, access: "private" });
    expect(back.json.data).toMatchObject({ access: "private", folderId: null, path: saved.name });
  });

  it("is deleted empty, or with its contents on request", async () => {
    const [top, inner] = await chain(2);
    if (!top || !inner) throw new Error("Two were made.");
    expect((await anas.send("DELETE", `/folders/${top.id}`)).status).toBe(409);
    const { id } = await anas.make("x", { folderId: inner.id });
    const full = await anas.send("DELETE", `/folders/${inner.id}?recursive=false`);
    expect([full.status, full.json.details]).toEqual([409, { consoles: 1, folders: 0 }]);
    expect((await anas.send("DELETE", `/folders/${inner.id}?recursive=yes`)).status).toBe(400);
    const gone = (await anas.send("DELETE", `/folders/${top.id}?recursive=true`)).json.data;
    expect(gone.folders.map(({ id: folderId }: { id: string }) => folderId)).toEqual([top.id, inner.id]);
    expect(gone.items).toEqual([{ id, folderId: inner.id }]);
    expect((await anas.send("GET", `/${id}`)).status).toBe(404);
    expect(await collections.consoleFolders().countDocuments({ path: { $in: [top.path, inner.path] } })).toBe(0);
    expect((await anas.send("POST", `/${id}/restore`)).json.data).toMatchObject({ path: "x", folderId: null });
  });
});

describe("bad input", () => {
  it("rejects a cycle of any length, and moves nothing", async () => {
    const folders = await chain(4);
    const [top] = folders;
    if (!top) throw new Error("Four were made.");
    for (const target of folders) {
      const answer = await anas.send("PATCH", `/folders/${top.id}`, { parentId: target.id });
      expect([answer.status, answer.json.details[0].path]).toEqual([400, "parentId"]);
    }
    const paths = (await anas.send("GET", "/folders?limit=200")).json.data.map(({ path }: { path: string }) => path);
    for (const { path } of folders) expect(paths).toContain(path);
  });

  it("rejects one of two concurrent moves that would form a cycle", async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await anas.makeFolder(free()), await anas.makeFolder(free())];
      const answers = await Promise.all([
        anas.send("PATCH", `/folders/${a.id}`, { parentId: b.id }),
        anas.send("PATCH", `/folders/${b.id}`, { parentId: a.id }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  });

  it("rejects more than 8 levels, created or moved", async () => {
    const deep = await chain(8);
    const bottom = deep.at(-1);
    expect((await anas.send("POST", "/folders", { name: "ninth", parentId: bottom?.id })).status).toBe(400);
    expect((await anas.send("POST", "", { name: "x", content: "", folderId: bottom?.id })).status).toBe(201);
    const [two] = await chain(2);
    expect((await anas.send("PATCH", `/folders/${two?.id}`, { parentId: deep[6]?.id })).status).toBe(400);
    expect((await anas.send("PATCH", `/folders/${two?.id}`, { parentId: deep[5]?.id })).status).toBe(200);
  });

  it("rejects a path that gets too long as a whole", async () => {
    const saved: string[] = [];
    const long = await anas.makeFolder("x".repeat(120));
    let parentId = long.id;
    for (let level = 0; level < 6; level++) parentId = (await anas.makeFolder("é".repeat(60), { parentId })).id;
    saved.push((await anas.make("n".repeat(100), { folderId: parentId })).id);
    const other = await anas.makeFolder(free("o"), {});
    const tooLong = await anas.send("PATCH", `/folders/${long.id}`, { name: "é".repeat(99), parentId: other.id });
    expect(tooLong.status).toBe(400);
    expect((await anas.send("GET", `/${saved[0]}`)).json.data.path.startsWith("x".repeat(120))).toBe(true);
  });

  it("reports a missing, foreign or private parent as missing", async () => {
    const foreign = await strangers.makeFolder(free());
    const hidden = await bens.makeFolder(free());
    const folder = await anas.makeFolder(free());
    for (const parentId of [ABSENT, foreign.id, hidden.id]) {
      expect((await anas.send("POST", "/folders", { name: free(), parentId })).status).toBe(404);
      expect((await anas.send("PATCH", `/folders/${folder.id}`, { parentId })).status).toBe(404);
    }
    expect((await anas.send("PATCH", `/folders/${folder.id}`, {})).status).toBe(400);
  });

  it("has one winner for a name used by folders and consoles at once", async () => {
    for (let round = 0; round < 5; round++) {
      const name = `${free()}.sql`;
      const answers = await Promise.all([
        anas.send("POST", "/folders", { name }),
        anas.send("POST", "/folders", { name: name.toUpperCase() }),
        anas.send("POST", "", { name, content: "1" }),
        anas.send("POST", "", { name: name.slice(0, -4), content: "2" }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    }
  });
});
